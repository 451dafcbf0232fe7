import type { ExportFormat, ExportItem, Exporting } from "lectern/contracts";
import type { Children } from "lectern/core";
import { toMarkdown } from "./to_markdown.ts";

/** The export format `markdown`: the source of pages written in Markdown, others converted from HTML (content-api 15.6). */
export function markdownFormat(children: Children): ExportFormat {
  return {
    name: "markdown",
    extension: "md",
    async *write(request) {
      // Texts are trimmed item by item, so that a large book is streamed.
      yield* writeItem(children, request, request.item);
    },
  };
}

async function* writeItem(children: Children, request: Exporting, item: ExportItem): AsyncGenerator<string> {
  yield `# ${item.name}`;
  // Leading spaces may be an indented code block.
  const text = (await textOf(children, request, item)).replace(/^\n+/, "").trimEnd();
  if (text !== "") yield `\n\n${text}`;
  for (const child of item.children) {
    yield "\n\n";
    yield* writeItem(children, request, child);
  }
}

async function textOf(children: Children, request: Exporting, item: ExportItem): Promise<string> {
  if (item.description_html !== undefined) return toMarkdown(children, item.description_html, request.viewer);
  const content = await request.content(item);
  if (!content) return "";
  return content.markdown === "" ? toMarkdown(children, content.html, request.viewer) : content.markdown;
}
