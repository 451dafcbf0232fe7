/**
 * The menu of what can be inserted: it opens at a slash at the beginning of a paragraph or after a space, and what is typed behind it filters.
 * Plugins add choices by the place `editor/insert`: buttons whose `data-html` is inserted.
 */
import type { Editor } from "@tiptap/core";
import type { Plugin } from "@tiptap/pm/state";
import { insertBlocks, insertDetails, insertInline, setBlock, toggleList, toggleQuote } from "./blocks.ts";
import { CHOICES, type ChoiceName, choiceText, matching, today } from "./choices.ts";
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
  const block = (kind: string) => (editor: Editor) => setBlock(editor, kind);
  const list = (kind: "bullet" | "ordered" | "task") => (editor: Editor) => toggleList(editor, kind);
  const runs: Readonly<Record<ChoiceName, Choice["run"]>> = {
    h1: block("h1"),
    h2: block("h2"),
    h3: block("h3"),
    h4: block("h4"),
    bullet: list("bullet"),
    ordered: list("ordered"),
    task: list("task"),
    table: insertTable,
    code: block("code"),
    quote: toggleQuote,
    info: block("info"),
    success: block("success"),
    warning: block("warning"),
    danger: block("danger"),
    details: (editor) => insertDetails(editor, texts.summary ?? ""),
    rule: (editor) => insertBlocks(editor, "<hr>"),
    picture: pictures,
    date: (editor) => insertInline(editor, today()),
  };
  return [
    ...CHOICES.map((name) => ({ text: choiceText(name, texts), run: runs[name] })),
    ...asking,
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

/** The plugin of the menu. */
export function insertMenu(editor: () => Editor, options: MenuOptions): Plugin {
  const { texts, place } = options;
  const all = choices(options);
  const find = (typed: string) => matching(all, typed);
  return suggestions({ editor, texts, label: texts.insert, id: "menu", sign: SLASH, place, find });
}

/** Opens the menu of insertions: a slash in an empty paragraph. */
export function openMenu(editor: Editor): void {
  const { parent } = editor.state.selection.$from;
  if (parent.content.size > 0) editor.commands.splitBlock();
  editor.view.focus();
  editor.view.dispatch(editor.state.tr.insertText("/"));
}
