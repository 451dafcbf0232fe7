/**
 * What the source editor inserts: blocks apart from the text around them, links, and pictures. Text of others, such as the name of a page, is
 * escaped by whoever passes it; addresses are checked and escaped here. Each insertion is one step of undo.
 */
import type { EditorState } from "@codemirror/state";
import type { EditorView } from "@codemirror/view";
import { isSafeAddress } from "./elements.ts";
import { change, type Format, nodeAround } from "./source_text.ts";

/** Where something is inserted. */
export type Place = "cursor" | "start" | "end";

/** The sign in texts of blocks at which the cursor stands afterwards. */
const CURSOR = "$0";

/** The signs of Markdown in plain text, escaped. */
export function plainMarkdown(text: string): string {
  return text.replace(/[\\[\]`*_<>]/g, "\\$&").replace(/\s+/g, " ");
}

/** Plain text as HTML. */
export function plainHtml(text: string): string {
  const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
  return text.replace(/[&<>"]/g, (sign) => entities[sign] ?? sign);
}

/** A link in the source. */
export function linkText(format: Format, address: string, text: string): string {
  if (format === "html") return `<a href="${plainHtml(address)}">${text}</a>`;
  return `[${text}](${/[\s()<>]/.test(address) ? `<${address.replace(/[<>\n]/g, encodeURIComponent)}>` : address})`;
}

/** A picture in the source. */
export function pictureText(format: Format, address: string, name: string): string {
  const plain = name.replace(/[[\]"<>&]/g, " ").trim();
  return format === "markdown" ? `![${plain}](${address})` : `<img src="${plainHtml(address)}" alt="${plain}">`;
}

/** Inserts text in place of what is selected. */
export function insertText(view: EditorView, text: string): boolean {
  const { from, to } = view.state.selection.main;
  return change(view, { changes: { from, to, insert: text }, selection: { anchor: from + text.length } });
}

/** A block as it is inserted at a position: with empty lines between it and what is around. */
export function apart(state: EditorState, at: number, block: string, to = at): string {
  const [before, after] = [state.sliceDoc(0, at), state.sliceDoc(to)];
  const ends = before.endsWith("\n\n") ? 2 : Number(before.endsWith("\n"));
  const begins = after.startsWith("\n\n") ? 2 : Number(after.startsWith("\n"));
  const start = before.trim() === "" ? "" : "\n".repeat(2 - ends);
  const end = after.trim() === "" ? "\n" : "\n".repeat(2 - begins);
  return `${start}${block}${end}`;
}

/** Inserts a block. */
export function insertBlock(view: EditorView, block: string, at: Place = "cursor"): boolean {
  const { state } = view;
  const { from, to } = at === "cursor" ? state.selection.main : rangeOf(state, at);
  const insert = apart(state, from, block, to);
  return change(view, { changes: { from, to, insert }, selection: { anchor: from + insert.trimEnd().length } });
}

/** Inserts a block of ours, with a `$0` where the cursor stands afterwards. */
export function insertTemplate(view: EditorView, template: string): boolean {
  const { state } = view;
  const { from, to } = state.selection.main;
  const written = apart(state, from, template, to);
  const anchor = from + written.indexOf(CURSOR);
  return change(view, { changes: { from, to, insert: written.replace(CURSOR, "") }, selection: { anchor } });
}

function rangeOf({ doc }: EditorState, at: Place): { from: number; to: number } {
  const from = at === "start" ? 0 : doc.length;
  return { from, to: from };
}

/** The link around the cursor, with its text and address. */
export function linkAt(
  state: EditorState,
  format: Format,
): { from: number; to: number; text: string; address: string } | undefined {
  const node = nodeAround(state, format === "markdown" ? "Link" : "Element");
  if (!node) return undefined;
  const { from, to } = node;
  if (format === "markdown") {
    const [opening, closing] = node.getChildren("LinkMark");
    const url = node.getChild("URL");
    if (!opening || !closing || !url) return undefined;
    const address = state.sliceDoc(url.from, url.to).replace(/^<|>$/g, "");
    return { from, to, text: state.sliceDoc(opening.to, closing.from), address };
  }
  const [, tag = "", text] = /^<a(\s[^<>]*)>([\s\S]*)<\/a>$/i.exec(state.sliceDoc(from, to)) ?? [];
  return text === undefined ? undefined : { from, to, text, address: /\shref="([^"]*)"/i.exec(tag)?.[1] ?? "" };
}

/** Links what is selected, or inserts a link with a text. Addresses of scripts are refused. */
export function setLink(
  view: EditorView,
  format: Format,
  { from, to, text, address }: { from: number; to: number; text: string; address: string },
): boolean {
  if (!isSafeAddress(address)) return false;
  const insert = address === "" ? text : linkText(format, address, text === "" ? address : text);
  return change(view, { changes: { from, to, insert }, selection: { anchor: from + insert.length } });
}
