import { SaxesParser } from "saxes";

/** What is done with the elements of an XML document; names are without their prefixes. */
export interface XmlHandlers {
  /** Called at the start of an element. Attributes are by their names with prefixes. */
  open(name: string, attributes: Readonly<Record<string, string>>): void;
  close(name: string): void;
  text(text: string): void;
}

/** Bytes that are decoded and parsed at a time. */
const PIECE_BYTES = 65_536;

/** Reads XML. Entities that the document declares itself are not expanded. Throws at the first error of the document. */
export function readXml(bytes: Uint8Array, { open, close, text }: XmlHandlers): void {
  const parser = new SaxesParser({ position: false, xmlns: false } as const);
  const failed = (error: Error) => {
    throw error;
  };
  parser.on("error", failed);
  parser.on("opentag", (tag) => open(localName(tag.name), tag.attributes));
  parser.on("closetag", (tag) => close(localName(tag.name)));
  parser.on("text", text);
  parser.on("cdata", text);
  const decoder = new TextDecoder(encodingOf(bytes));
  for (let at = 0; at < bytes.length; at += PIECE_BYTES)
    parser.write(decoder.decode(bytes.subarray(at, at + PIECE_BYTES), { stream: true }));
  parser.close();
}

/** Office files are in UTF-8, and may be in UTF-16 with a mark at their beginning. */
function encodingOf([first, second]: Uint8Array): "utf-8" | "utf-16le" | "utf-16be" {
  if (first === 0xff && second === 0xfe) return "utf-16le";
  return first === 0xfe && second === 0xff ? "utf-16be" : "utf-8";
}

function localName(name: string): string {
  return name.slice(name.indexOf(":") + 1);
}
