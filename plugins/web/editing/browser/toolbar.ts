/**
 * The toolbar: one stop of the Tab key, in which arrow keys move. Buttons say what the cursor is in by `aria-pressed`. Below it are the
 * tools of what the cursor is in: a table, or a code block with its language.
 */
import type { Editor } from "@tiptap/core";
import { redo, redoDepth, undo, undoDepth } from "@tiptap/pm/history";
import { isInTable } from "@tiptap/pm/tables";
import {
  ALIGNMENTS,
  align,
  alignmentOf,
  around,
  blockKind,
  CALLOUTS,
  insertBlocks,
  insertDetails,
  listKind,
  setBlock,
  setLanguage,
  toggleList,
  toggleQuote,
} from "./blocks.ts";
import { coloursDialog, linkDialog } from "./dialogs.ts";
import { type IconName, icon } from "./icons.ts";
import { clearFormatting, isWithin, linkAt, TAGS, toggle } from "./inline.ts";
import { roving } from "./roving.ts";
import { languageOf } from "./schema.ts";
import { make, type Texts } from "./screen.ts";
import { insertTable, TABLE_COMMANDS } from "./tables.ts";

interface Tool {
  readonly name: IconName;
  /** The keys of the tool, shown with its name. */
  readonly keys?: string;
  readonly run: (editor: Editor) => unknown;
  readonly isOn?: (editor: Editor) => boolean;
  readonly can?: (editor: Editor) => boolean;
}

/** What the toolbar asks of the screen. */
export interface ToolbarRequests {
  readonly texts: Texts;
  /** Chooses pictures. */
  pictures(): void;
  /** Opens the menu of what can be inserted. */
  insert(): void;
  /** Opens find and replace. */
  find(): void;
}

/** A toolbar, and what shows the state of the editor in it. */
export interface Toolbar {
  readonly element: HTMLElement;
  show(): void;
}

const ctrl = (key: string) => `Ctrl+${key}`;

function tools({ texts, pictures, insert, find }: ToolbarRequests): readonly (readonly Tool[])[] {
  const text = (name: keyof typeof TAGS, keys?: string): Tool => ({
    name,
    ...(keys !== undefined && { keys: ctrl(keys) }),
    run: (editor) => toggle(TAGS[name])(editor.state, editor.view.dispatch),
    isOn: (editor) => isWithin(editor.state, TAGS[name]),
  });
  const list = (name: "bullet" | "ordered" | "task", keys: string): Tool => ({
    name,
    keys: ctrl(`Shift+${keys}`),
    run: (editor) => toggleList(editor, name),
    isOn: (editor) => listKind(editor.state) === name,
  });
  return [
    [
      text("bold", "B"),
      text("italic", "I"),
      text("underline", "U"),
      text("strike"),
      text("code", "E"),
      text("sub"),
      text("sup"),
    ],
    [
      {
        name: "link",
        keys: ctrl("K"),
        run: (editor) => void linkDialog(editor, texts),
        isOn: (editor) => linkAt(editor.state) !== undefined,
      },
      {
        name: "colours",
        run: (editor) => void coloursDialog(editor, texts),
        can: (editor) => !editor.state.selection.empty,
      },
      { name: "clear", run: (editor) => clearFormatting(editor.state, editor.view.dispatch) },
    ],
    [
      list("bullet", "8"),
      list("ordered", "7"),
      list("task", "9"),
      {
        name: "quote",
        run: toggleQuote,
        isOn: ({ state }) => around(state.selection.$from, "blockquote") !== undefined,
      },
    ],
    ALIGNMENTS.map((to) => ({
      name: `align-${to}` as const,
      run: (editor) => align(editor, to),
      isOn: ({ state }) => alignmentOf(state.selection.$from.parent) === to,
    })),
    [
      { name: "table", run: insertTable, can: ({ state }) => !isInTable(state) },
      { name: "details", run: (editor) => insertDetails(editor, texts.summary ?? "") },
      { name: "rule", run: (editor) => insertBlocks(editor, "<hr>") },
      { name: "picture", run: pictures },
      { name: "insert", run: insert },
    ],
    [
      {
        name: "undo",
        keys: ctrl("Z"),
        run: ({ state, view }) => undo(state, view.dispatch),
        can: ({ state }) => undoDepth(state) > 0,
      },
      {
        name: "redo",
        keys: ctrl("Y"),
        run: ({ state, view }) => redo(state, view.dispatch),
        can: ({ state }) => redoDepth(state) > 0,
      },
      { name: "find", keys: ctrl("F"), run: find },
    ],
  ];
}

const TABLE_TOOLS: readonly Tool[] = Object.entries(TABLE_COMMANDS).map(([name, command]) => ({
  name: name as keyof typeof TABLE_COMMANDS,
  run: ({ state, view }) => command(state, view.dispatch, view),
  can: ({ state }) => command(state),
}));

/** Makes the toolbar. */
export function toolbar(editor: Editor, requests: ToolbarRequests): Toolbar {
  const { texts } = requests;
  const updates: (() => void)[] = [];
  const button = (tool: Tool) => {
    const name = texts[tool.name] ?? tool.name;
    const title = tool.keys === undefined ? name : `${name} (${tool.keys})`;
    const made = make(
      "button",
      { type: "button", class: "small secondary outline", "aria-label": name, title, "data-tool": tool.name },
      icon(tool.name),
    );
    made.addEventListener("click", () => {
      if (made.getAttribute("aria-disabled") === "true") return;
      tool.run(editor);
      if (!isAsking()) editor.view.focus();
    });
    updates.push(() => {
      if (tool.isOn) made.setAttribute("aria-pressed", String(tool.isOn(editor)));
      if (tool.can) made.setAttribute("aria-disabled", String(!tool.can(editor)));
    });
    return made;
  };
  const group = (all: readonly Tool[]) => make("span", { class: "rich-group" }, ...all.map(button));
  const kinds = kindSelect(editor, texts, updates);
  const main = make(
    "div",
    { class: "toolbar rich-toolbar", role: "toolbar", "aria-label": texts.formatting, "aria-controls": "rich-text" },
    kinds,
    ...tools(requests).map(group),
  );
  const table = make(
    "div",
    { class: "toolbar rich-toolbar", role: "toolbar", "aria-label": texts.table, "aria-controls": "rich-text" },
    group(TABLE_TOOLS),
  );
  const code = languageField(editor, texts, updates);
  for (const bar of [main, table]) roving(bar);
  const show = () => {
    table.hidden = !isInTable(editor.state);
    for (const update of updates) update();
  };
  return { element: make("div", { class: "rich-tools" }, main, table, code), show };
}

function isAsking(): boolean {
  return Document.prototype.querySelector.call(document, "dialog[open]") !== null;
}

function kindSelect(editor: Editor, texts: Texts, updates: (() => void)[]): HTMLSelectElement {
  const kinds = ["p", "h1", "h2", "h3", "h4", "h5", "h6", "code", ...CALLOUTS];
  const made = make(
    "select",
    { "aria-label": texts.block },
    ...kinds.map((kind) => make("option", { value: kind }, texts[`block-${kind}`])),
  );
  made.addEventListener("change", () => setBlock(editor, made.value));
  updates.push(() => {
    made.value = blockKind(editor.state);
  });
  return made;
}

const LANGUAGES =
  "bash c cpp csharp css diff dockerfile go html ini java javascript json kotlin lua markdown mermaid nginx perl php plaintext powershell python ruby rust shell sql swift typescript xml yaml";

/** The field with the language of a code block. */
function languageField(editor: Editor, texts: Texts, updates: (() => void)[]): HTMLElement {
  const field = make("input", {
    id: "rich-language",
    list: "rich-languages",
    autocomplete: "off",
    spellcheck: "false",
    size: "14",
  });
  const row = make(
    "div",
    { class: "rich-code" },
    make("label", { for: field.id }, texts.language),
    field,
    make("datalist", { id: "rich-languages" }, ...LANGUAGES.split(" ").map((value) => make("option", { value }))),
  );
  field.addEventListener("change", () =>
    setLanguage(
      editor,
      field.value
        .trim()
        .toLowerCase()
        .replace(/[^\w+#.-]/g, ""),
    ),
  );
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== "Escape") return;
    event.preventDefault();
    field.dispatchEvent(new Event("change"));
    editor.view.focus();
  });
  updates.push(() => {
    const block = around(editor.state.selection.$from, "codeBlock");
    row.hidden = block === undefined;
    if (block && field !== row.ownerDocument.activeElement) field.value = languageOf(block.node.attrs.code);
  });
  return row;
}
