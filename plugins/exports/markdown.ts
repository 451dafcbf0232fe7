import type { ExportFormat, ExportItem, Exporting } from "lectern/core";
import { toMarkdown } from "./to_markdown.ts";

/** Markdown: as it was written where it was written so, else made of HTML (content-api 15.6). */
export const markdown: ExportFormat = {
  name: "markdown",
  extension: "md",
  async *write(asked) {
    // Texts are trimmed one by one, so that nothing has to wait for the end of a large book.
    yield* blocks(asked, asked.item);
  },
};

async function* blocks(asked: Exporting, item: ExportItem): AsyncGenerator<string> {
  yield `# ${item.name}`;
  // Blanks in front may mean code.
  const text = (await textOf(asked, item)).replace(/^\n+/, "").trimEnd();
  if (text !== "") yield `\n\n${text}`;
  for (const child of item.children) {
    yield "\n\n";
    yield* blocks(asked, child);
  }
}

async function textOf(asked: Exporting, item: ExportItem): Promise<string> {
  if (item.description_html !== undefined) return toMarkdown(item.description_html);
  const content = await asked.content(item);
  if (!content) return "";
  return content.markdown === "" ? toMarkdown(content.html) : content.markdown;
}
