/**
 * Find and replace, in a panel below the toolbar: Ctrl+F opens it and Ctrl+H shows the field of the replacement, too. All places are marked
 * in the text and counted; Enter and Shift+Enter move among them, Escape goes back to the text, where the current place is
 * selected. A replacement is one step of undo, of one place as of all. Text is searched within blocks, across its formatting.
 */
import type { Editor } from "@tiptap/core";
import { closeHistory } from "@tiptap/pm/history";
import type { Node } from "@tiptap/pm/model";
import { type EditorState, Plugin, PluginKey, TextSelection, type Transaction } from "@tiptap/pm/state";
import { Decoration, DecorationSet } from "@tiptap/pm/view";
import { filled, make, type Texts } from "./screen.ts";

/** A place in a document. */
interface Place {
  readonly from: number;
  readonly to: number;
}

/** What is searched for. */
interface Query {
  readonly text: string;
  readonly isCased: boolean;
  readonly isWhole: boolean;
}

interface Search {
  /** Undefined while the panel is closed. */
  readonly query: Query | undefined;
  readonly places: readonly Place[];
  /** The index of the current place; -1 where there is none. */
  readonly current: number;
}

/** The panel, and what opens it. */
export interface FindPanel {
  readonly element: HTMLElement;
  readonly plugin: Plugin;
  open(isReplacing: boolean): void;
}

const SEARCH = new PluginKey<Search>("find");
const CLOSED: Search = { query: undefined, places: [], current: -1 };
const WORD = /[\p{L}\p{N}_]/u;

/** A text in lower case, of the same length. */
function lowered(text: string): string {
  const lower = text.toLowerCase();
  if (lower.length === text.length) return lower;
  return text.replace(/[\s\S]/g, (sign) => (sign.toLowerCase().length === 1 ? sign.toLowerCase() : sign));
}

/** Where a text stands in another one. */
function* findings(written: string, { text, isCased, isWhole }: Query): Generator<number> {
  const [within, wanted] = isCased ? [written, text] : [lowered(written), lowered(text)];
  const isWord = (start: number, end: number) => WORD.test(written.slice(Math.max(0, start), end));
  for (let at = within.indexOf(wanted); at >= 0; ) {
    const end = at + wanted.length;
    const isFound = !isWhole || !(isWord(at - 1, at) || isWord(end, end + 1));
    if (isFound) yield at;
    at = within.indexOf(wanted, isFound ? end : at + 1);
  }
}

/** All places of a text in a document, in order. */
function placesOf(doc: Node, query: Query): Place[] {
  if (query.text === "") return [];
  const places: Place[] = [];
  doc.descendants((node, pos) => {
    if (!node.isTextblock) return true;
    // What is no text is one sign, as its node has the size of one.
    const written = node.textBetween(0, node.content.size, undefined, "\ufffc");
    for (const found of findings(written, query)) {
      const from = pos + 1 + found;
      places.push({ from, to: from + query.text.length });
    }
    return false;
  });
  return places;
}

function searched(doc: Node, query: Query | undefined, at: number): Search {
  if (!query) return CLOSED;
  const places = placesOf(doc, query);
  const next = places.findIndex(({ from }) => from >= at);
  return { query, places, current: next < 0 ? Math.min(0, places.length - 1) : next };
}

/** Puts a text in place of others, with the formatting that each of them begins with. */
function replaced(state: EditorState, places: readonly Place[], text: string): Transaction {
  const tr = closeHistory(state.tr);
  for (const { from, to } of [...places].reverse())
    if (text === "") tr.delete(from, to);
    else tr.replaceWith(from, to, state.schema.text(text, state.doc.nodeAt(from)?.marks ?? []));
  return tr;
}

/** Makes the panel of an editor. */
export function findPanel(editor: () => Editor, texts: Texts): FindPanel {
  const field = (name: string) =>
    make("input", {
      id: `rich-find-${name}`,
      type: "text",
      autocomplete: "off",
      "aria-label": texts[name],
      placeholder: texts[name],
    });
  const box = (name: string) => make("input", { id: `rich-find-${name}`, type: "checkbox" });
  const [wanted, other, cased, whole] = [field("find"), field("replaceBy"), box("cased"), box("whole")];
  const count = make("span", { class: "quiet", role: "status", "aria-live": "polite" });
  const search = () => SEARCH.getState(editor().state) ?? CLOSED;
  const tell = (meta: Partial<Search>, tr = editor().state.tr) => editor().view.dispatch(tr.setMeta(SEARCH, meta));
  const reveal = () => {
    editor().view.dom.querySelector(".rich-found.is-current")?.scrollIntoView({ block: "nearest" });
  };
  const ask = () => {
    const at = search().places[search().current]?.from ?? editor().state.selection.from;
    const query = { text: wanted.value, isCased: cased.checked, isWhole: whole.checked };
    tell(searched(editor().state.doc, query, at));
    reveal();
  };
  const move = (by: 1 | -1) => {
    const { places, current } = search();
    if (places.length > 0) tell({ current: (current + by + places.length) % places.length });
    reveal();
  };
  const replaceOne = () => {
    const { places, current } = search();
    const place = places[current];
    if (!place) return;
    const { view, state } = editor();
    view.dispatch(replaced(state, [place], other.value));
    const after = place.from + other.value.length;
    const next = search().places.findIndex(({ from }) => from >= after);
    tell({ current: next < 0 ? Math.min(0, search().places.length - 1) : next });
    reveal();
  };
  const replaceAll = () => {
    const { places } = search();
    if (places.length === 0) return;
    editor().view.dispatch(replaced(editor().state, places, other.value));
    count.textContent = filled(texts.replaced, { count: String(places.length) });
  };
  const close = () => {
    const { places, current } = search();
    const place = places[current];
    const { state, view } = editor();
    element.hidden = true;
    tell(CLOSED, place ? state.tr.setSelection(TextSelection.create(state.doc, place.from, place.to)) : state.tr);
    view.focus();
  };
  const button = (name: string, run: () => void, sign = texts[name]) =>
    make(
      "button",
      { type: "button", class: "small secondary outline", "aria-label": texts[name], title: texts[name], onclick: run },
      sign,
    );
  const label = (name: string, input: HTMLInputElement) => make("label", {}, input, texts[name]);
  const replacing = make(
    "div",
    { class: "rich-find-row" },
    other,
    button("replace", replaceOne),
    button("replaceAll", replaceAll),
  );
  const element = make(
    "div",
    { class: "rich-find", role: "region", "aria-label": texts.findAndReplace, hidden: true },
    make(
      "div",
      { class: "rich-find-row" },
      wanted,
      button("previous", () => move(-1), "↑"),
      button("next", () => move(1), "↓"),
      count,
      label("cased", cased),
      label("whole", whole),
      button("close", close, "✕"),
    ),
    replacing,
  );
  wanted.addEventListener("input", ask);
  for (const input of [cased, whole]) input.addEventListener("change", ask);
  // What is searched for is no input of the form.
  for (const name of ["input", "change"]) element.addEventListener(name, (event) => event.stopPropagation());
  const open = (isReplacing: boolean) => {
    const { doc, selection } = editor().state;
    const chosen = selection.$from.sameParent(selection.$to) ? doc.textBetween(selection.from, selection.to) : "";
    if (element.hidden && chosen !== "") wanted.value = chosen;
    if (element.hidden || isReplacing) replacing.hidden = !isReplacing;
    element.hidden = false;
    wanted.focus();
    wanted.select();
    ask();
  };
  const openBy = (event: KeyboardEvent): boolean => {
    const isKey = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && /^[fh]$/i.test(event.key);
    if (isKey) open(event.key.toLowerCase() === "h");
    return isKey;
  };
  element.addEventListener("keydown", (event) => {
    const isField = event.target === wanted || event.target === other;
    if (event.key === "Escape") close();
    else if (event.key === "Enter" && event.target === wanted) move(event.shiftKey ? -1 : 1);
    else if (event.key === "Enter" && event.target === other) replaceOne();
    else if (!openBy(event)) return;
    event.preventDefault();
    if (isField) event.stopPropagation();
  });
  const show = ({ query, places, current }: Search) => {
    const values = { number: String(current + 1), count: String(places.length) };
    count.textContent = query && query.text !== "" ? filled(texts.found, values) : "";
    const isMissing = query !== undefined && query.text !== "" && places.length === 0;
    if (isMissing) wanted.setAttribute("aria-invalid", "true");
    else wanted.removeAttribute("aria-invalid");
  };
  return { element, open, plugin: searching(openBy, show) };
}

/** The plugin that marks the places, and looks for them again where the text changes. */
function searching(openBy: (event: KeyboardEvent) => boolean, show: (search: Search) => void): Plugin {
  return new Plugin<Search>({
    key: SEARCH,
    state: {
      init: () => CLOSED,
      apply(tr, before) {
        const told = tr.getMeta(SEARCH) as Partial<Search> | undefined;
        const now = told ? { ...before, ...told } : before;
        if (!tr.docChanged || !now.query) return now;
        return searched(tr.doc, now.query, tr.mapping.map(now.places[now.current]?.from ?? 0));
      },
    },
    props: {
      decorations(state) {
        const { places, current } = SEARCH.getState(state) ?? CLOSED;
        const marks = places.map(({ from, to }, index) =>
          Decoration.inline(from, to, { class: index === current ? "rich-found is-current" : "rich-found" }),
        );
        return DecorationSet.create(state.doc, marks);
      },
      handleKeyDown(_view, event) {
        if (!openBy(event)) return false;
        event.preventDefault();
        return true;
      },
    },
    view: () => ({
      update(view, before) {
        const now = SEARCH.getState(view.state);
        if (now && now !== SEARCH.getState(before)) show(now);
      },
    }),
  });
}
