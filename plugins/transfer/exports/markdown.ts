import type { ExportFormat, ExportItem, Exporting } from "lectern/contracts";
import type { Children } from "lectern/core";
import { toMarkdown } from "./to_markdown.ts";

/** Markdown: as it was written where it was written so, else made of HTML (content-api 15.6). */
export function markdown(children: Children): ExportFormat {
  return {
    name: "markdown",
    extension: "md",
    async *write(asked) {
      // Texts are trimmed one by one, so that nothing has to wait for the end of a large book.
      yield* blocks(children, asked, asked.item);
    },
  };
}

async function* blocks(children: Children, asked: Exporting, item: ExportItem): AsyncGenerator<string> {
  yield `# ${item.name}`;
  // Blanks in front may mean code.
  const text = (await textOf(children, asked, item)).replace(/^\n+/, "").trimEnd();
  if (text !== "") yield `\n\n${text}`;
  for (const child of item.children) {
    yield "\n\n";
    yield* blocks(children, asked, child);
  }
}

async function textOf(children: Children, asked: Exporting, item: ExportItem): Promise<string> {
  if (item.description_html !== undefined) return toMarkdown(children, item.description_html, asked.viewer);
  const content = await asked.content(item);
  if (!content) return "";
  return content.markdown === "" ? toMarkdown(children, content.html, asked.viewer) : content.markdown;
}
