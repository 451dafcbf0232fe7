import type { ExportFormat, ExportItem, Exporting, Markup } from "lectern/contracts";

/** Plain text (content-api 15.5). */
export function plaintext(text: Markup["text"]): ExportFormat {
  return {
    name: "plaintext",
    extension: "txt",
    async *write(asked) {
      yield* itemText(asked, text, asked.item, true);
    },
  };
}

async function* itemText(
  asked: Exporting,
  text: Markup["text"],
  item: ExportItem,
  isTop: boolean,
): AsyncGenerator<string> {
  const { name, description } = item;
  if (description === undefined) {
    const content = await asked.content(item);
    yield `${name}${isTop ? "\n\n" : "\n"}${content ? await text(content.html, { viewer: asked.viewer }) : ""}`;
    return;
  }
  yield `${`${name}\n${description}`.trim()}\n\n`;
  for (const [index, child] of item.children.entries()) {
    if (index > 0) yield "\n\n";
    yield* itemText(asked, text, child, false);
  }
}
