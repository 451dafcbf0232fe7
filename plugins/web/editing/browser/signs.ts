/**
 * Signs that become formatting while typing: `#`, `-`, `1.`, `[]`, `>`, three backticks, `|` and `---` at the beginning of a paragraph, and
 * `**`, `*`, `~~` and a backtick around words. The sign is inserted first, in a step of its own, so that undo brings it back.
 */
import type { Editor } from "@tiptap/core";
import { closeHistory } from "@tiptap/pm/history";
import { Plugin } from "@tiptap/pm/state";
import { insertBlocks, setBlock, setLanguage, toggleList, toggleQuote } from "./blocks.ts";
import { TAGS } from "./inline.ts";
import { insertTable } from "./tables.ts";

type Sign = readonly [find: RegExp, run: (editor: Editor, found: RegExpExecArray) => void];

const AT_START: readonly Sign[] = [
  [/^(#{1,6}) $/, (editor, [, signs = ""]) => setBlock(editor, `h${signs.length}`)],
  [/^[-+*] $/, (editor) => toggleList(editor, "bullet")],
  [/^\d{1,9}[.)] $/, (editor) => toggleList(editor, "ordered")],
  [/^(?:[-*] )?\[[ xX]?\] $/, (editor) => toggleList(editor, "task")],
  [/^> $/, (editor) => toggleQuote(editor)],
  [/^```(\S*) $/, (editor, [, language = ""]) => codeBlock(editor, language)],
  [/^\| $/, (editor) => insertTable(editor)],
  [/^(?:---|\*\*\*|___)$/, (editor) => insertBlocks(editor, "<hr>")],
];

const AROUND = [
  [/(?:^|[\s(])(\*\*)([^*\s](?:[^*]*[^*\s])?)\*\*$/, "bold"],
  [/(?:^|[\s(])(\*)([^*\s](?:[^*]*[^*\s])?)\*$/, "italic"],
  [/(?:^|[\s(])(~~)([^~\s](?:[^~]*[^~\s])?)~~$/, "strike"],
  [/(?:^|[\s(])(`)([^`]+)`$/, "code"],
] as const;

function codeBlock(editor: Editor, language: string): void {
  setBlock(editor, "code");
  if (language !== "") setLanguage(editor, language);
}

/** Enter after three backticks, with or without a language: a code block. Whether it was done. */
export function codeOfFence(editor: Editor): boolean {
  const { $from } = editor.state.selection;
  const found = /^```(\S*)$/.exec($from.parent.textContent);
  if (!found || $from.parent.type.name !== "paragraph") return false;
  editor.view.dispatch(closeHistory(editor.state.tr.delete($from.start(), $from.end())));
  codeBlock(editor, found[1] ?? "");
  return true;
}

/** Watches what is typed. */
export function signs(editor: Editor): Plugin {
  return new Plugin({
    props: {
      handleTextInput(view, from, to, text) {
        const $from = view.state.doc.resolve(from);
        const { parent } = $from;
        if (from !== to || parent.type.name === "codeBlock" || !parent.inlineContent) return false;
        const before = parent.textBetween(0, $from.parentOffset, undefined, "\ufffc") + text;
        const isPlain = parent.type.name === "paragraph";
        for (const [find, run] of isPlain ? AT_START : []) {
          const found = find.exec(before);
          if (!found) continue;
          view.dispatch(view.state.tr.insertText(text, from, to));
          view.dispatch(closeHistory(view.state.tr.delete($from.start(), from + text.length)));
          run(editor, found);
          return true;
        }
        return around(editor, before, from, text);
      },
    },
  });
}

/** Formats words that signs enclose, once the last sign is typed. */
function around({ view }: Editor, before: string, from: number, text: string): boolean {
  const isCode = view.state.selection.$from.marks().some(({ attrs }) => attrs.tag === "code");
  for (const [find, name] of isCode ? [] : AROUND) {
    const [, sign = "", words = ""] = find.exec(before) ?? [];
    if (words === "") continue;
    view.dispatch(view.state.tr.insertText(text, from));
    const end = from + text.length;
    const start = end - sign.length * 2 - words.length;
    const mark = view.state.schema.marks.el?.create({ tag: TAGS[name][0] });
    const tr = closeHistory(view.state.tr.delete(end - sign.length, end).delete(start, start + sign.length));
    if (mark) tr.addMark(start, start + words.length, mark).setStoredMarks(view.state.selection.$from.marks());
    view.dispatch(tr);
    return true;
  }
  return false;
}
