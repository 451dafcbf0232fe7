/** Conversions between Markdown and HTML, which the server makes, and what they would change. */
import type { Difference } from "./compare.ts";

/** A content in both formats, the one made of the other. */
export interface Conversion {
  readonly html: string;
  readonly markdown: string;
}

/** Converts content to HTML or Markdown, and the result back. Resolves with the reason where that is not possible. */
export async function convert(address: string, to: "html" | "markdown", content: string): Promise<Conversion | string> {
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
    return answer.error?.message ?? String(response.status);
  } catch (error) {
    return String(error);
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
