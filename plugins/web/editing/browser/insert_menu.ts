/**
 * The menu of what can be inserted: it opens at a slash at the beginning of a paragraph or after a space, and what is typed behind it filters.
 * The focus stays in the text, which names the current choice by `aria-activedescendant`; arrow keys choose, Enter and Tab take it,
 * Escape leaves the slash as it is. Plugins add choices by the place `editor/insert`: buttons whose `data-html` is inserted.
 */
import type { Editor } from "@tiptap/core";
import { closeHistory } from "@tiptap/pm/history";
import { Plugin } from "@tiptap/pm/state";
import { CALLOUTS, insertBlocks, insertDetails, insertInline, setBlock, toggleList, toggleQuote } from "./blocks.ts";
import { filled, make, type Texts } from "./screen.ts";
import { insertTable } from "./tables.ts";

/** Something that the menu inserts. */
interface Choice {
  readonly text: string;
  readonly run: (editor: Editor) => void;
}

/** What the menu gets from the screen. */
export interface MenuOptions {
  readonly texts: Texts;
  /** Buttons of plugins. */
  readonly added: readonly HTMLButtonElement[];
  /** The element into which the menu is put. */
  readonly place: HTMLElement;
  pictures(): void;
}

/** The element that is spoken when it changes. */
function announcer(): HTMLElement {
  return make("p", { class: "unseen", role: "status", "aria-live": "polite" });
}

function choices({ texts, added, pictures }: MenuOptions): readonly Choice[] {
  const block = (kind: string): Choice => ({
    text: texts[`block-${kind}`] ?? kind,
    run: (editor) => setBlock(editor, kind),
  });
  const of = (name: string, run: Choice["run"]): Choice => ({ text: texts[name] ?? name, run });
  const language = Document.prototype.querySelector.call(document, "html")?.getAttribute("lang") ?? undefined;
  return [
    ...["h1", "h2", "h3", "h4"].map(block),
    of("bullet", (editor) => toggleList(editor, "bullet")),
    of("ordered", (editor) => toggleList(editor, "ordered")),
    of("task", (editor) => toggleList(editor, "task")),
    of("table", insertTable),
    block("code"),
    of("quote", toggleQuote),
    ...CALLOUTS.map(block),
    of("details", (editor) => insertDetails(editor, texts.summary ?? "")),
    of("rule", (editor) => insertBlocks(editor, "<hr>")),
    of("picture", pictures),
    of("date", (editor) =>
      insertInline(editor, new Intl.DateTimeFormat(language, { dateStyle: "long" }).format(new Date())),
    ),
    ...added.map((button) => ({
      text: button.textContent?.trim() ?? "",
      run: (editor: Editor) => {
        const { html } = button.dataset;
        if (html !== undefined) insertBlocks(editor, html);
        button.click();
      },
    })),
  ];
}

/** The words behind a slash before the cursor. */
const TYPED = /(?:^|\s)\/([\p{L}\p{N}-]{0,30})$/u;

const folded = (text: string) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();

/** The plugin of the menu. */
export function insertMenu(editor: () => Editor, options: MenuOptions): Plugin {
  const { texts, place } = options;
  const all = choices(options);
  const list = make("ul", {
    class: "rich-menu",
    id: "rich-menu",
    role: "listbox",
    // Lists that scroll have to be reachable; Tab takes a choice while this one is open.
    tabindex: "0",
    "aria-label": texts.insert,
    hidden: true,
  });
  const spoken = announcer();
  place.append(list, spoken);
  let shown: readonly Choice[] = [];
  let current = 0;
  let from = -1;
  /** Where a slash was left as it is. */
  let left = -1;

  const close = () => {
    list.hidden = true;
    shown = [];
    spoken.textContent = "";
    const { dom } = editor().view;
    for (const name of ["aria-activedescendant", "aria-controls"]) dom.removeAttribute(name);
  };
  const take = (choice: Choice | undefined) => {
    if (!choice) return;
    const { view } = editor();
    const { from: end } = view.state.selection;
    const start = from;
    close();
    view.dispatch(closeHistory(view.state.tr.delete(start, end)));
    choice.run(editor());
    if (Document.prototype.querySelector.call(document, "dialog[open]") === null) view.focus();
  };
  const draw = () => {
    list.replaceChildren(
      ...shown.map((choice, index) => {
        const option = make(
          "li",
          { id: `rich-choice-${index}`, role: "option", "aria-selected": String(index === current) },
          choice.text,
        );
        // The text keeps the focus.
        option.addEventListener("mousedown", (event) => {
          event.preventDefault();
          take(choice);
        });
        return option;
      }),
    );
    list.hidden = false;
    const { dom } = editor().view;
    dom.setAttribute("aria-controls", list.id);
    dom.setAttribute("aria-activedescendant", `rich-choice-${current}`);
    list.children[current]?.scrollIntoView({ block: "nearest" });
    const position = { name: shown[current]?.text ?? "", number: String(current + 1), count: String(shown.length) };
    spoken.textContent = filled(texts.choice, position);
  };
  const move = (by: number) => {
    current = (current + by + shown.length) % shown.length;
    draw();
  };
  const onKey: Readonly<Record<string, () => void>> = {
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    Enter: () => take(shown[current]),
    Tab: () => take(shown[current]),
    Escape: () => {
      left = from;
      close();
    },
  };
  return new Plugin({
    props: {
      handleKeyDown(_view, event) {
        const run = list.hidden || event.ctrlKey || event.metaKey || event.altKey ? undefined : onKey[event.key];
        if (!run) return false;
        run();
        return true;
      },
      handleDOMEvents: { blur: () => close() },
    },
    view: () => ({
      update(view, before) {
        const { selection, doc } = view.state;
        if (before.doc.eq(doc) && before.selection.eq(selection)) return;
        const { $from, empty } = selection;
        const isText = empty && $from.parent.inlineContent && $from.parent.type.name !== "codeBlock";
        const found = isText ? TYPED.exec($from.parent.textBetween(0, $from.parentOffset, undefined, "\ufffc")) : null;
        const at = found ? selection.from - (found[1]?.length ?? 0) - 1 : -1;
        if (at !== left) left = -1;
        // A slash opens the menu when it is typed, and not when the cursor comes to one.
        const isOpen = found && at !== left && view.hasFocus() && (!list.hidden || !before.doc.eq(doc));
        if (!isOpen) return list.hidden ? undefined : close();
        const words = folded(found[1] ?? "");
        const fit = all.filter(({ text }) => folded(text).includes(words));
        if (fit.length === 0) return close();
        from = at;
        if (fit.length !== shown.length) current = 0;
        shown = fit;
        draw();
        beside(list, place, view.coordsAtPos(at));
      },
      destroy: () => {
        list.remove();
        spoken.remove();
      },
    }),
  });
}

/** Places the menu below a position of the text, above it where there is no room, and within the screen. */
function beside(
  list: HTMLElement,
  place: HTMLElement,
  { left, bottom, top }: { left: number; bottom: number; top: number },
): void {
  const box = place.getBoundingClientRect();
  const { offsetHeight: height, offsetWidth: width } = list;
  const isAbove = bottom + height > window.innerHeight && top - height > 0;
  list.style.top = `${(isAbove ? top - height - 4 : bottom + 4) - box.top}px`;
  list.style.left = `${Math.max(0, Math.min(left - box.left, box.width - width))}px`;
}
