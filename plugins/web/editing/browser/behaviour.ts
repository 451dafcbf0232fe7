/**
 * How the editor reacts to keys and clicks. Undo covers everything, as each change is a transaction. What signs become, such as `#` at the
 * beginning of a line, is in `signs.ts`, and what keeps documents in order in `order.ts`.
 */
import { type Editor, Extension } from "@tiptap/core";
import { dropCursor } from "@tiptap/pm/dropcursor";
import { gapCursor } from "@tiptap/pm/gapcursor";
import { history, redo, undo } from "@tiptap/pm/history";
import { Plugin } from "@tiptap/pm/state";
import { tableEditing } from "@tiptap/pm/tables";
import { align, setBlock, splitItem, tick, toggleList, toggleQuote } from "./blocks.ts";
import { TAGS, toggle } from "./inline.ts";
import { endOfLinks, uniqueIds } from "./order.ts";
import { codeOfFence, signs } from "./signs.ts";
import { moveCell } from "./tables.ts";

/** What the editor asks of the screen. */
export interface Requests {
  /** Opens the dialog of a link. */
  link(editor: Editor): void;
  /** Saves the page and closes the editor. */
  save(): void;
}

const TEXT_KEYS = {
  "Mod-b": "bold",
  "Mod-i": "italic",
  "Mod-u": "underline",
  "Mod-e": "code",
  "Mod-Shift-x": "strike",
} as const;

/** Keys, signs and plugins of the editor. */
export function behaviour(requests: Requests) {
  return Extension.create({
    name: "behaviour",
    priority: 200,
    addKeyboardShortcuts() {
      const { editor } = this;
      const done = (run: () => void) => () => {
        run();
        return true;
      };
      const texts = Object.entries(TEXT_KEYS).map(([key, name]) => [
        key,
        done(() => void toggle(TAGS[name])(editor.state, editor.view.dispatch)),
      ]);
      const headings = [0, 1, 2, 3, 4, 5, 6].map((level) => [
        `Mod-Alt-${level}`,
        done(() => setBlock(editor, level === 0 ? "p" : `h${level}`)),
      ]);
      const alignments = (["left", "center", "right", "justify"] as const).map((to) => [
        `Mod-Shift-${to === "center" ? "e" : to.charAt(0)}`,
        done(() => align(editor, to)),
      ]);
      return {
        ...Object.fromEntries([...texts, ...headings, ...alignments]),
        // The library keeps the key from the screen, which would save by it. In code it ends the block.
        "Mod-Enter": () => {
          if (editor.state.selection.$from.parent.type.name === "codeBlock") return false;
          requests.save();
          return true;
        },
        "Mod-k": done(() => requests.link(editor)),
        "Mod-z": () => undo(editor.state, editor.view.dispatch),
        "Mod-y": () => redo(editor.state, editor.view.dispatch),
        // Where nothing is left, the key must not go on to that of undo, which it is without Shift.
        "Mod-Shift-z": done(() => redo(editor.state, editor.view.dispatch)),
        "Mod-Shift-7": done(() => toggleList(editor, "ordered")),
        "Mod-Shift-8": done(() => toggleList(editor, "bullet")),
        "Mod-Shift-9": done(() => toggleList(editor, "task")),
        "Mod-Shift-b": done(() => toggleQuote(editor)),
        Enter: () => codeOfFence(editor) || splitItem(editor),
        "Shift-Enter": () => insertBreak(editor),
        Tab: () => indent(editor, 1),
        "Shift-Tab": () => indent(editor, -1),
      };
    },
    addProseMirrorPlugins() {
      const { editor } = this;
      return [
        signs(editor),
        boxes(editor),
        history(),
        dropCursor(),
        gapCursor(),
        tableEditing(),
        uniqueIds(),
        endOfLinks(),
      ];
    },
  });
}

function insertBreak({ state, view }: Editor): boolean {
  const { parent } = state.selection.$from;
  const { hardBreak } = state.schema.nodes;
  if (!parent.inlineContent || parent.type.name === "codeBlock" || !hardBreak) return false;
  view.dispatch(state.tr.replaceSelectionWith(hardBreak.create()).scrollIntoView());
  return true;
}

/** Tab is a key of lists, tables and code; elsewhere it leaves the editor, as it does everywhere. */
function indent(editor: Editor, by: 1 | -1): boolean {
  const { parent } = editor.state.selection.$from;
  if (parent.type.name === "codeBlock") {
    if (by > 0) editor.view.dispatch(editor.state.tr.insertText("\t"));
    return by > 0;
  }
  if (editor.isActive("listItem")) {
    const { commands } = editor;
    if (by > 0) commands.sinkListItem("listItem");
    else commands.liftListItem("listItem");
    return true;
  }
  return moveCell(editor, by);
}

/** A click on a box ticks it. */
function boxes(editor: Editor): Plugin {
  return new Plugin({
    props: {
      handleDOMEvents: {
        click: (view, event) => {
          const { target } = event;
          if (!(target instanceof HTMLInputElement) || target.type !== "checkbox") return false;
          event.preventDefault();
          tick(editor, view.posAtDOM(target, 0));
          return true;
        },
      },
    },
  });
}
