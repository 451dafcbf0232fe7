/**
 * The text of a comment in its form. Most comments are plain text and edited as such; one with formatting is edited as HTML, so
 * that editing loses nothing.
 */
import type { Visit } from "lectern/contracts";
import { html } from "lectern/core";

/** A comment in its form. */
export interface CommentInput {
  readonly text: string;
  readonly format: "plain" | "html";
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
export function commentInput(markup: string): CommentInput {
  const text = markup
    .replace(/<br>\n?/g, "\n")
    .replace(/<\/p>\s*/g, "\n\n")
    .replace(/<[^<>]*>/g, "")
    .replace(/&(amp|lt|gt|quot|nbsp|#x27|#39);/g, (_, name: string) => ENTITIES[name] ?? "")
    .trim();
  // The API and `paragraphs` escape different characters.
  const isPlain = canonical(paragraphs(text)) === canonical(markup);
  return isPlain ? { text, format: "plain" } : { text: markup, format: "html" };
}

/** The submitted form as HTML for the API. */
export function commentHtml(visit: Visit): string {
  const text = visit.text("text");
  return visit.text("format") === "html" ? text : paragraphs(text);
}

function paragraphs(text: string): string {
  return text
    .replaceAll("\r\n", "\n")
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
