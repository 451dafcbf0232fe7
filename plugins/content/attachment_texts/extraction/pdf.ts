import { getDocumentProxy } from "unpdf";
import { type TextSink, Unreadable } from "./text_sink.ts";

/** Pages that are read at most. */
const MAX_PAGES = 5_000;
/** Pictures of more pixels are not decoded; for text none is. */
const MAX_IMAGE_PIXELS = 1_000_000;

/** Reads the text of a PDF page by page. Throws Unreadable and Full. */
export async function readPdf(bytes: Uint8Array, sink: TextSink): Promise<void> {
  const pdf = await getDocumentProxy(bytes, { verbosity: 0, maxImageSize: MAX_IMAGE_PIXELS }).catch(
    (error: unknown) => {
      throw new Unreadable(nameOf(error) === "PasswordException" ? "encrypted" : "damaged");
    },
  );
  for (let number = 1; number <= Math.min(pdf.numPages, MAX_PAGES); number++) {
    const page = await pdf.getPage(number).catch(() => undefined);
    const content = await page?.getTextContent().catch(() => undefined);
    for (const item of content?.items ?? []) {
      if (!("str" in item)) continue;
      sink.add(item.str);
      if (item.hasEOL) sink.add("\n");
    }
    sink.add("\n");
    page?.cleanup();
  }
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : "";
}
