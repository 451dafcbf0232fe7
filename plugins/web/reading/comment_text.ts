/**
 * What is typed into the form of a comment. Most comments are plain text, and are typed as such; one with more in it, such as
 * bold words, is changed as the HTML it is, so that nothing is lost by changing it.
 */
import type { Visit } from "lectern/contracts";
import { html } from "lectern/core";

/** What the form of a comment starts with. */
export interface Typed {
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

/** A comment as it is typed. */
export function typedOf(markup: string): Typed {
  const words = markup
    .replace(/<br>\n?/g, "\n")
    .replace(/<\/p>\s*/g, "\n\n")
    .replace(/<[^>]*>/g, "")
    .replace(/&(amp|lt|gt|quot|nbsp|#x27|#39);/g, (_, name: string) => ENTITIES[name] ?? "")
    .trim();
  // The runtime writes fewer entities than the form does.
  const isPlain = canonical(paragraphs(words)) === canonical(markup);
  return isPlain ? { text: words, format: "plain" } : { text: markup, format: "html" };
}

/** What was typed as the HTML that the API stores. */
export function htmlIn(visit: Visit): string {
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
    .replace(/\s*(<\/?p>|<br>)\s*/g, "$1")
    .replaceAll("&quot;", '"')
    .replaceAll("&#x27;", "'")
    .replaceAll("&#39;", "'")
    .trim();
}
