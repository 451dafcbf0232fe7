/**
 * The toolbar of the source editor: the tools of the rich one that Markdown and HTML have, in the same order, with the same keys. It is one stop
 * of the Tab key, and says what the cursor is in by `aria-pressed`. Buttons of plugins for the plain field follow at its end.
 */
import { redo, redoDepth, undo, undoDepth } from "@codemirror/commands";
import { openSearchPanel } from "@codemirror/search";
import type { EditorState } from "@codemirror/state";
import type { EditorView } from "@codemirror/view";
import type { ChoiceName } from "./choices.ts";
import { type IconName, icon } from "./icons.ts";
import { roving } from "./roving.ts";
import { find, make, type Texts } from "./screen.ts";
import { linkAt } from "./source_insert.ts";
import {
  type Format,
  headingLevel,
  isMarked,
  listKind,
  type Mark,
  nodeAround,
  setHeading,
  toggleList,
  toggleMark,
  toggleQuote,
} from "./source_text.ts";

interface Tool {
  readonly name: IconName;
  /** The keys of the tool, shown with its name. */
  readonly keys?: string;
  readonly run: (view: EditorView) => unknown;
  readonly isOn?: (state: EditorState) => boolean;
  readonly can?: (state: EditorState) => boolean;
}

/** What the toolbar asks of the screen. */
export interface ToolRequests {
  readonly format: Format;
  readonly texts: Texts;
  /** Buttons of plugins, which insert texts around what is selected. */
  readonly added: readonly HTMLElement[];
  link(view: EditorView): boolean;
  /** Inserts a choice of the menu. */
  insert(view: EditorView, name: ChoiceName): void;
  /** Opens that menu. */
  openMenu(view: EditorView): void;
}

function tools({ format, link, insert, openMenu }: ToolRequests): readonly (readonly Tool[])[] {
  const mark = (name: Mark, keys?: string): Tool => ({
    name,
    ...(keys !== undefined && { keys: `Ctrl+${keys}` }),
    run: (view) => toggleMark(view, format, name),
    isOn: (state) => isMarked(state, format, name),
  });
  const list = (name: "bullet" | "ordered" | "task", keys: string): Tool => ({
    name,
    keys: `Ctrl+Shift+${keys}`,
    run: (view) => toggleList(view, format, name),
    ...(format === "markdown" && { isOn: (state: EditorState) => listKind(state) === name }),
  });
  const block = (name: ChoiceName & IconName): Tool => ({ name, run: (view) => insert(view, name) });
  return [
    [
      mark("bold", "B"),
      mark("italic", "I"),
      mark("underline", "U"),
      mark("strike"),
      mark("code", "E"),
      mark("sub"),
      mark("sup"),
    ],
    [{ name: "link", keys: "Ctrl+K", run: link, isOn: (state) => linkAt(state, format) !== undefined }],
    [
      list("bullet", "8"),
      list("ordered", "7"),
      list("task", "9"),
      {
        name: "quote",
        run: (view) => toggleQuote(view, format),
        ...(format === "markdown" && { isOn: (state: EditorState) => nodeAround(state, "Blockquote") !== undefined }),
      },
    ],
    [block("table"), block("details"), block("rule"), block("picture"), { name: "insert", run: openMenu }],
    [
      { name: "undo", keys: "Ctrl+Z", run: undo, can: (state) => undoDepth(state) > 0 },
      { name: "redo", keys: "Ctrl+Y", run: redo, can: (state) => redoDepth(state) > 0 },
      { name: "find", keys: "Ctrl+F", run: openSearchPanel },
    ],
  ];
}

/** Makes the toolbar; `show` shows the state of the editor in it. */
export function sourceToolbar(
  view: () => EditorView,
  requests: ToolRequests,
): { readonly element: HTMLElement; show(state: EditorState): void } {
  const { texts, format, added } = requests;
  const updates: ((state: EditorState) => void)[] = [];
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
      tool.run(view());
      if (tool.name !== "find" && find("dialog[open]") === null) view().focus();
    });
    updates.push((state) => {
      if (tool.isOn) made.setAttribute("aria-pressed", String(tool.isOn(state)));
      if (tool.can) made.setAttribute("aria-disabled", String(!tool.can(state)));
    });
    return made;
  };
  const bar = make(
    "div",
    { class: "toolbar rich-toolbar", role: "toolbar", "aria-label": texts.formatting, "aria-controls": "source-text" },
    kindSelect(view, { texts, format }, updates),
    ...tools(requests).map((all) => make("span", { class: "rich-group" }, ...all.map(button))),
    added.length > 0 && make("span", { class: "rich-group" }, ...added),
  );
  roving(bar);
  return {
    element: make("div", { class: "rich-tools" }, bar),
    show: (state) => {
      for (const update of updates) update(state);
    },
  };
}

function kindSelect(
  view: () => EditorView,
  { texts, format }: { readonly texts: Texts; readonly format: Format },
  updates: ((state: EditorState) => void)[],
): HTMLSelectElement {
  const kinds = ["p", "h1", "h2", "h3", "h4", "h5", "h6"];
  const made = make(
    "select",
    { "aria-label": texts.block },
    ...kinds.map((kind, level) => make("option", { value: String(level) }, texts[`block-${kind}`])),
  );
  made.addEventListener("change", () => setHeading(view(), format, Number(made.value)));
  updates.push((state) => {
    made.value = String(headingLevel(state, format));
  });
  return made;
}
