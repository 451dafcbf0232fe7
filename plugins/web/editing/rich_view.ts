/**
 * What the rich editor gets from the server: which editor opens, its texts in the user's language, and its style. Pages in HTML open in the
 * rich editor and pages in Markdown in the source editor, until the user has chosen one, which their account keeps. Who may not
 * change the editor (`editor-change`) stays in the one of the format.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Ui, Visit } from "lectern/contracts";
import type { Source } from "./editor.ts";
import { pictureTexts } from "./image_uploads.ts";

/** Which editor opens, and whether the user may choose another. */
export interface EditorChoice {
  readonly mode: "rich" | "source";
  readonly canSwitch: boolean;
}

/** The style of the rich editor, for its screen alone. */
export const RICH_STYLE = readFileSync(join(import.meta.dir, "public/rich.css"), "utf8");

/** The editor that opens for content in a format. */
export async function editorFor(visit: Visit, source: Source): Promise<EditorChoice> {
  const canSwitch = visit.ui.may("editor-change");
  return { mode: (await chosenEditor(visit)) ?? (source === "html" ? "rich" : "source"), canSwitch };
}

/** The editor that the user has chosen; undefined where they have not, or may not. */
export async function chosenEditor(visit: Visit): Promise<EditorChoice["mode"] | undefined> {
  if (!visit.ui.may("editor-change")) return undefined;
  const { editor } = await visit.get("/api/users/me");
  return editor === "rich" || editor === "source" ? editor : undefined;
}

/** What the script of the rich editor is told of a screen: what is edited, by kind and id, the HTML of a draft whose Markdown the textarea holds, and the scripts. */
interface RichFacts {
  readonly editor: EditorChoice;
  readonly written: string;
  readonly about: string;
  readonly scripts: { readonly source: string };
}

/** The data for `browser/rich.ts`. */
export function richData({ editor, written, about, scripts }: RichFacts, ui: Ui) {
  return {
    ...editor,
    written,
    choice: ui.url("/editor/choice"),
    convert: ui.url("/editor/convert"),
    pages: ui.url("/editor/pages"),
    people: ui.url(`/editor/people/${about}`),
    templates: ui.url("/editor/templates"),
    files: ui.url("/editor/file/"),
    blocks: ui.url("/editor/blocks/"),
    sourceScript: scripts.source,
    texts: {
      ...toolTexts(ui),
      ...tableTexts(ui),
      ...dialogTexts(ui),
      ...findTexts(ui),
      ...insertTexts(ui),
      ...changeTexts(ui),
      ...pictureTexts(ui),
    },
  };
}

function toolTexts({ t }: Ui) {
  return {
    content: t("Content"),
    help: t(
      "Type / for a menu of everything that can be inserted, and [[ for a link to a page. Tab indents in lists and moves in tables.",
    ),
    formatting: t("Formatting"),
    editor: t("Editor"),
    rich: t("Rich text"),
    source: t("Source"),
    block: t("Kind of paragraph"),
    "block-p": t("Paragraph"),
    "block-h1": t("Heading 1"),
    "block-h2": t("Heading 2"),
    "block-h3": t("Heading 3"),
    "block-h4": t("Heading 4"),
    "block-h5": t("Heading 5"),
    "block-h6": t("Heading 6"),
    "block-code": t("Code block"),
    "block-info": t("Info box"),
    "block-success": t("Success box"),
    "block-warning": t("Warning box"),
    "block-danger": t("Danger box"),
    bold: t("Bold"),
    italic: t("Italic"),
    underline: t("Underline"),
    strike: t("Strikethrough"),
    code: t("Code"),
    sub: t("Subscript"),
    sup: t("Superscript"),
    link: t("Link"),
    colours: t("Colours"),
    clear: t("Clear formatting"),
    bullet: t("List"),
    ordered: t("Numbered list"),
    task: t("Task list"),
    taskBox: t("Done"),
    quote: t("Quote"),
    "align-left": t("Align left"),
    "align-center": t("Align centre"),
    "align-right": t("Align right"),
    "align-justify": t("Justify"),
    details: t("Collapsible section"),
    summary: t("Click to open"),
    rule: t("Horizontal rule"),
    picture: t("Picture"),
    date: t("Date"),
    insert: t("Insert"),
    choice: t(":name, :number of :count"),
    pages: t("Pages"),
    people: t("People"),
    undo: t("Undo"),
    redo: t("Redo"),
    language: t("Language of the code"),
    uploading: t("Uploading :name"),
  };
}

function tableTexts({ t }: Ui) {
  return {
    table: t("Table"),
    "row-above": t("Insert row above"),
    "row-below": t("Insert row below"),
    "column-before": t("Insert column before"),
    "column-after": t("Insert column after"),
    "header-row": t("Header row"),
    "header-column": t("Header column"),
    merge: t("Merge cells"),
    split: t("Split cell"),
    "delete-row": t("Delete row"),
    "delete-column": t("Delete column"),
    "delete-table": t("Delete table"),
  };
}

function dialogTexts({ t }: Ui) {
  return {
    address: t("Address"),
    linkText: t("Text of the link"),
    apply: t("Apply"),
    removeLink: t("Remove link"),
    cancel: t("Cancel"),
    textColour: t("Text colour"),
    background: t("Background colour"),
    setTextColour: t("Set text colour"),
    setBackground: t("Set background colour"),
    removeColours: t("Remove colours"),
  };
}

function findTexts({ t }: Ui) {
  return {
    find: t("Find"),
    findAndReplace: t("Find and replace"),
    replaceBy: t("Replace by"),
    replace: t("Replace"),
    replaceAll: t("Replace all"),
    previous: t("Previous match"),
    next: t("Next match"),
    close: t("Close"),
    cased: t("Match case"),
    whole: t("Whole words"),
    found: t(":number of :count"),
    replaced: t("Replaced: :count"),
    count: t("Words: :words, characters: :characters"),
    countSelected: t("Selected words: :words, characters: :characters"),
    pastedMarkdown: t("The pasted text looks like Markdown."),
    formatPasted: t("Paste as formatted text"),
    keepPasted: t("Keep as it is"),
  };
}

function insertTexts({ t }: Ui) {
  return {
    file: t("File"),
    notAttached: t(":name could not be attached: :reason"),
    include: t("Include another page"),
    part: t("Part of the page"),
    wholePage: t("The whole page"),
    template: t("Template"),
    templates: t("Templates"),
    search: t("Search"),
    nothingFound: t("Nothing was found."),
    atCursor: t("Insert at the cursor"),
    atStart: t("Insert at the start"),
    atEnd: t("Insert at the end"),
  };
}

function changeTexts({ t }: Ui) {
  return {
    changesTitle: t("What would change"),
    wouldChange: t("The rich editor would change this page. The source editor leaves it as it is."),
    markdownChanges: t("The rich editor would write the Markdown of this page differently."),
    notInRich: t("This page opens in the source editor, as the rich editor would write its Markdown differently."),
    wouldLose: t("Markdown cannot hold all of what you wrote. It would change as follows."),
    offline: t("There is no connection"),
    notConverted: t("The content could not be converted: :reason"),
    keptBlocks: t("Parts of this page are shown but cannot be edited here: :count. They stay as they are."),
    whatChanges: t("Show what would change"),
    goOn: t("Go on anyway"),
    stay: t("Stay here"),
    more: t("Further changes: :count"),
    draftHolds: t("Markdown cannot hold all of this draft. You are asked before the page is saved."),
    draftLacks: t("This draft was written in the rich editor. Its Markdown lacks some of it."),
  };
}
