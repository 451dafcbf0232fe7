/**
 * What the rich editor gets from the server: which editor opens, its texts in the user's language, and its style. Pages in HTML open in the
 * rich editor and pages in Markdown in the source editor, until the user has chosen one, which a cookie keeps by user, as that of
 * the colour scheme. Who may not change the editor (`editor-change`) stays in the one of the format.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Ui, Visit } from "lectern/contracts";
import type { Source } from "./editor.ts";

/** Which editor opens, and whether the user may choose another. */
export interface EditorChoice {
  readonly mode: "rich" | "source";
  readonly canSwitch: boolean;
}

/** The style of the rich editor, for its screen alone. */
export const RICH_STYLE = readFileSync(join(import.meta.dir, "public/rich.css"), "utf8");

/** The editor that opens for content in a format. */
export function editorFor(visit: Visit, source: Source): EditorChoice {
  const canSwitch = visit.ui.may("editor-change");
  return { mode: chosenEditor(visit) ?? (source === "html" ? "rich" : "source"), canSwitch };
}

/** The editor that the user has chosen; undefined where they have not, or may not. */
export function chosenEditor({ request, viewer, ui }: Visit): EditorChoice["mode"] | undefined {
  if (!ui.may("editor-change")) return undefined;
  const cookie = request.headers.get("cookie") ?? "";
  const [, user, mode] = /(?:^|;\s*)lectern_editor=(\d+)\.(rich|source)(?:;|$)/.exec(cookie) ?? [];
  return Number(user) === viewer.id ? (mode as EditorChoice["mode"]) : undefined;
}

/** The data for `browser/rich.ts`. */
export function richData(editor: EditorChoice, sourceScript: string, ui: Ui) {
  return {
    ...editor,
    user: ui.viewer.id,
    path: ui.url("/"),
    convert: ui.url("/editor/convert"),
    pages: ui.url("/editor/pages"),
    sourceScript,
    texts: { ...toolTexts(ui), ...tableTexts(ui), ...dialogTexts(ui), ...changeTexts(ui) },
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

function changeTexts({ t }: Ui) {
  return {
    changesTitle: t("What would change"),
    wouldChange: t("The rich editor would change this page. The source editor leaves it as it is."),
    markdownChanges: t("The rich editor would write the Markdown of this page differently."),
    notInRich: t("This page opens in the source editor, as the rich editor would write its Markdown differently."),
    wouldLose: t("Markdown cannot hold all of what you wrote. It would change as follows."),
    notConverted: t("The content could not be converted: :reason"),
    keptBlocks: t("Parts of this page are shown but cannot be edited here: :count. They stay as they are."),
    whatChanges: t("Show what would change"),
    goOn: t("Go on anyway"),
    stay: t("Stay here"),
    more: t("Further changes: :count"),
  };
}
