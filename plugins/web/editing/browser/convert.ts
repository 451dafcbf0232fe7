/** Conversions between Markdown and HTML, which the server makes, and what they would change. */
import { type Difference, differences, withoutIds } from "./compare.ts";
import { inertDocument, realHtml } from "./inert.ts";
import type { Texts } from "./screen.ts";

/** A content in both formats, the one made of the other. */
export interface Conversion {
  readonly html: string;
  readonly markdown: string;
}

/** Why content was not converted, in the language of the screen, and the status of the answer; 0 where the server was not reached. */
export interface Unconverted {
  readonly reason: string;
  readonly status: number;
}

/** Converts content to HTML or Markdown, and the result back. */
export async function convert(
  address: string,
  to: "html" | "markdown",
  content: string,
  texts: Texts,
): Promise<Conversion | Unconverted> {
  const body = new FormData();
  body.set("to", to);
  body.set("content", content);
  try {
    const response = await fetch(address, {
      method: "POST",
      body,
      headers: { accept: "application/json" },
      redirect: "error",
    });
    const answer = (await response.json()) as Partial<Conversion> & { error?: { message?: string } };
    if (answer.html !== undefined && answer.markdown !== undefined)
      return { html: answer.html, markdown: answer.markdown };
    return { reason: answer.error?.message ?? String(response.status), status: response.status };
  } catch {
    return { reason: texts.offline ?? "", status: 0 };
  }
}

/** Markdown in which white space, and what says the same in the delimiters of tables, is folded. */
function foldedLines(markdown: string): string[] {
  return markdown
    .split("\n")
    .map((line) =>
      /^[\s|:-]+$/.test(line) && line.includes("|") ? line.replace(/-+/g, "-").replace(/[ |]+/g, "|") : line,
    )
    .map((line) => line.replace(/\s+/g, " ").replace(/\s+/g, " ").trim())
    .filter((line) => line !== "");
}

/** Whether two texts in Markdown are the same, apart from white space. */
export function isSameMarkdown(one: string, other: string): boolean {
  return foldedLines(one).join(" ") === foldedLines(other).join(" ");
}

/** The lines that differ. */
export function lineDifferences(before: string, after: string): Difference[] {
  const [old, made] = [foldedLines(before), foldedLines(after)];
  const [left, right] = [new Set(old), new Set(made)];
  const gone = old.filter((line) => !right.has(line));
  const added = made.filter((line) => !left.has(line));
  return Array.from({ length: Math.max(gone.length, added.length) }, (_, index) => ({
    before: gone[index] ?? "",
    after: added[index] ?? "",
  }));
}

/**
 * What HTML loses by a conversion to Markdown, whose HTML is `made`. Of no account is how a box says that it is ticked, the line break
 * at the end of code, and a paragraph without content, such as the one in which a writer has stopped.
 */
export function lostIn(html: string, made: string): Difference[] {
  return differences(essential(html), essential(made));
}

function essential(html: string): string {
  const { body } = inertDocument(withoutIds(html));
  for (const paragraph of body.querySelectorAll("p"))
    if (paragraph.childNodes.length === 0 && paragraph.attributes.length === 0) paragraph.remove();
  for (const box of body.querySelectorAll("input"))
    for (const name of ["checked", "disabled"]) if (box.hasAttribute(name)) box.setAttribute(name, "");
  for (const { lastChild } of body.querySelectorAll("pre > code"))
    if (lastChild?.nodeType === Node.TEXT_NODE) lastChild.nodeValue = (lastChild.nodeValue ?? "").replace(/\n$/, "");
  return realHtml(body.innerHTML);
}
