/**
 * A list that opens while typing, behind a sign: what is typed filters it. The focus stays in the text, which names the current choice by
 * `aria-activedescendant`; arrow keys choose, Enter and Tab take it, Escape leaves the sign as it is. It opens when the sign is
 * typed, and not when the cursor comes to one.
 */
import type { Editor } from "@tiptap/core";
import { closeHistory } from "@tiptap/pm/history";
import { Plugin } from "@tiptap/pm/state";
import { filled, make, type Texts } from "./screen.ts";

/** Something that the list offers. The sign and what was typed behind it are gone when it runs. */
export interface Choice {
  readonly text: string;
  readonly run: (editor: Editor) => void;
}

/** A list. */
export interface Suggestions {
  readonly editor: () => Editor;
  readonly texts: Texts;
  /** The label of the list, and the beginning of its ids. */
  readonly label: string | undefined;
  readonly id: string;
  /** Finds the sign at the end of a text; its groups are the sign and what was typed behind it. */
  readonly sign: RegExp;
  /** The element into which the list is put. */
  readonly place: HTMLElement;
  /** What the list offers for what was typed. */
  find(typed: string): readonly Choice[] | Promise<readonly Choice[]>;
}

/** The plugin of a list. */
export function suggestions({ editor, texts, label, id, sign, place, find }: Suggestions): Plugin {
  const list = make("ul", {
    class: "rich-menu",
    id: `rich-${id}`,
    role: "listbox",
    // Lists that scroll have to be reachable; Tab takes a choice while this one is open.
    tabindex: "0",
    "aria-label": label,
    hidden: true,
  });
  const spoken = make("p", { class: "unseen", role: "status", "aria-live": "polite" });
  place.append(list, spoken);
  let shown: readonly Choice[] = [];
  let current = 0;
  let from = -1;
  /** Where a sign was left as it is. */
  let left = -1;
  /** The number of the last search: an earlier one that ends later is not shown. */
  let search = 0;

  const close = () => {
    search++;
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
          { id: `rich-${id}-${index}`, role: "option", "aria-selected": String(index === current) },
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
    dom.setAttribute("aria-activedescendant", `rich-${id}-${current}`);
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
  const offer = (found: readonly Choice[], at: number) => {
    if (found.length === 0) return close();
    from = at;
    if (found.length !== shown.length) current = 0;
    shown = found;
    draw();
    beside(list, place, editor().view.coordsAtPos(at));
  };
  const late = async (found: Promise<readonly Choice[]>, at: number, number: number) => {
    const all = await found;
    if (number === search && editor().view.hasFocus()) offer(all, at);
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
        const written = isText ? $from.parent.textBetween(0, $from.parentOffset, undefined, "\ufffc") : "";
        const [, mark, typed = ""] = sign.exec(written) ?? [];
        const at = mark === undefined ? -1 : selection.from - typed.length - mark.length;
        if (at !== left) left = -1;
        const isOpen = at >= 0 && at !== left && view.hasFocus() && (!list.hidden || !before.doc.eq(doc));
        if (!isOpen) return list.hidden ? undefined : close();
        search++;
        const found = find(typed);
        if (found instanceof Promise) void late(found, at, search);
        else offer(found, at);
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
