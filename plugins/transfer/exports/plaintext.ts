import type { ExportFormat, ExportItem, Exporting, Markup } from "lectern/contracts";

/** The export format `plaintext` (content-api 15.5). */
export function plaintextFormat(text: Markup["text"]): ExportFormat {
  return {
    name: "plaintext",
    extension: "txt",
    async *write(request) {
      yield* writeItem(request, text, request.item, true);
    },
  };
}

async function* writeItem(
  request: Exporting,
  text: Markup["text"],
  item: ExportItem,
  isTop: boolean,
): AsyncGenerator<string> {
  const { name, description } = item;
  if (description === undefined) {
    const content = await request.content(item);
    yield `${name}${isTop ? "\n\n" : "\n"}${content ? await text(content.html, { viewer: request.viewer }) : ""}`;
    return;
  }
  yield `${`${name}\n${description}`.trim()}\n\n`;
  for (const [index, child] of item.children.entries()) {
    if (index > 0) yield "\n\n";
    yield* writeItem(request, text, child, false);
  }
}
