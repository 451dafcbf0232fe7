/**
 * The menu of what can be inserted: it opens at a slash at the beginning of a paragraph or after a space, and what is typed behind it filters.
 * Plugins add choices by the place `editor/insert`: buttons whose `data-html` is inserted.
 */
import type { Editor } from "@tiptap/core";
import type { Plugin } from "@tiptap/pm/state";
import { CALLOUTS, insertBlocks, insertDetails, insertInline, setBlock, toggleList, toggleQuote } from "./blocks.ts";
import type { Texts } from "./screen.ts";
import { type Choice, suggestions } from "./suggestions.ts";
import { insertTable } from "./tables.ts";

/** What the menu gets from the screen. */
export interface MenuOptions {
  readonly texts: Texts;
  /** Buttons of plugins. */
  readonly added: readonly HTMLButtonElement[];
  /** Choices that ask first. */
  readonly asking: readonly Choice[];
  /** The element into which the menu is put. */
  readonly place: HTMLElement;
  pictures(): void;
}

function choices({ texts, added, asking, pictures }: MenuOptions): readonly Choice[] {
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
    ...asking,
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

/** A slash before the cursor, and the words behind it. */
const SLASH = /(?:^|\s)(\/)([\p{L}\p{N}-]{0,30})$/u;

const folded = (text: string) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();

/** The plugin of the menu. */
export function insertMenu(editor: () => Editor, options: MenuOptions): Plugin {
  const { texts, place } = options;
  const all = choices(options);
  const find = (typed: string) => all.filter(({ text }) => folded(text).includes(folded(typed)));
  return suggestions({ editor, texts, label: texts.insert, id: "menu", sign: SLASH, place, find });
}

/** Opens the menu of insertions: a slash in an empty paragraph. */
export function openMenu(editor: Editor): void {
  const { parent } = editor.state.selection.$from;
  if (parent.content.size > 0) editor.commands.splitBlock();
  editor.view.focus();
  editor.view.dispatch(editor.state.tr.insertText("/"));
}
