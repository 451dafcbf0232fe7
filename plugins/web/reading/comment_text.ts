/**
 * The text of a comment in its form, which is Markdown: what was typed, or for a comment in HTML without formatting its text, escaped. One
 * in HTML with formatting is edited as HTML, so that editing loses nothing.
 */
import type { Visit } from "lectern/contracts";
import { html, type InputObject } from "lectern/core";

/** A comment in its form. */
export interface CommentInput {
  readonly text: string;
  readonly format: "markdown" | "html";
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  nbsp: "\u00a0",
  "#x27": "'",
  "#39": "'",
};

/** The form of a stored comment. */
export function commentInput({
  html: markup,
  markdown,
}: {
  readonly html: string;
  readonly markdown?: string;
}): CommentInput {
  if (markdown !== undefined) return { text: markdown, format: "markdown" };
  const text = markup
    .replace(/<br>\n?/g, "\n")
    .replace(/<\/p>\s*/g, "\n\n")
    .replace(/<[^<>]*>/g, "")
    .replace(/&(amp|lt|gt|quot|nbsp|#x27|#39);/g, (_, name: string) => ENTITIES[name] ?? "")
    .trim();
  // The API and `paragraphs` escape different characters.
  const isPlain = canonical(paragraphs(text)) === canonical(markup);
  return isPlain ? { text: escaped(text), format: "markdown" } : { text: markup, format: "html" };
}

/** The submitted text as a field of the API. */
export function commentText(visit: Visit): InputObject {
  const text = visit.text("text").replaceAll("\r\n", "\n");
  return visit.text("format") === "html" ? { html: text } : { markdown: text };
}

/** What has a meaning in Markdown wherever it stands. */
const SIGNS = /[\\`*[\]<~|&]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu;

/** Text as Markdown that says the same. */
function escaped(text: string): string {
  const lines = text.replace(SIGNS, "\\$&").split("\n");
  return lines.map((line) => escapedBeginning(line.trim())).join("\n");
}

/** A line that begins no heading, list or quote. */
function escapedBeginning(line: string): string {
  if (/^[#+=>-]/.test(line)) return `\\${line}`;
  return line.replace(/^(\d{1,9})([.)])/, "$1\\$2");
}

function paragraphs(text: string): string {
  return text
    .split(/\n{2,}/)
    .filter((each) => each.trim() !== "")
    .map((each) => `<p>${html`${each.trim()}`}</p>`.replaceAll("\n", "<br>"))
    .join("");
}

function canonical(markup: string): string {
  return markup
    .replace(/(<\/?p>|<br>)\s+/g, "$1")
    .replace(/\s+(<\/?p>|<br>)?/g, (blanks, tag?: string) => tag ?? blanks)
    .replaceAll("&quot;", '"')
    .replaceAll("&#x27;", "'")
    .replaceAll("&#39;", "'")
    .trim();
}
