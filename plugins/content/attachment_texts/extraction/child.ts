/**
 * The process that reads the text of one file (`extractor.ts`): it gets an order, sends what it found, and is ended. What a file is
 * follows from its first bytes, never from its name.
 */
import { readFile } from "node:fs/promises";
import { MessageReader, messageBytes } from "lectern/core";
import type { Extracted, ReadingOrder } from "./order.ts";
import { signatureOf } from "./signatures.ts";
import { Full, TextSink, Unreadable } from "./text_sink.ts";

const MAX_ORDER_BYTES = 65_536;
const ENCRYPTED_PACKAGE = Buffer.from("EncryptedPackage", "utf16le");

async function extract(order: ReadingOrder): Promise<Extracted> {
  const sink = new TextSink(order);
  const found = (reason: "cut" | null): Extracted => {
    const { text } = sink;
    return text === "" ? { state: "none" } : { state: "read", text, reason };
  };
  try {
    return (await readInto(sink, order)) ? found(null) : { state: "none" };
  } catch (error) {
    if (error instanceof Full) return found("cut");
    if (error instanceof Unreadable) return { state: "failed", reason: error.reason };
    // A library met what its author did not expect.
    return { state: "failed", reason: "damaged" };
  }
}

/** Reads the text of a file. Returns whether it is of a kind that has text. Libraries are loaded where they are needed. */
async function readInto(sink: TextSink, { path, maxUnpackedBytes }: ReadingOrder): Promise<boolean> {
  const bytes = await readFile(path);
  switch (signatureOf(bytes)) {
    case "pdf":
      // Not a Buffer, which the library refuses.
      await (await import("./pdf.ts")).readPdf(new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length), sink);
      return true;
    case "zip":
      return (await import("./office.ts")).readOffice(bytes, sink, maxUnpackedBytes);
    case "compound":
      // Of Office before 2007, which is not read, or an encrypted document.
      if (bytes.includes(ENCRYPTED_PACKAGE)) throw new Unreadable("encrypted");
      return false;
    case "plain":
      return (await import("./plain.ts")).readPlain(bytes, sink);
    case "other":
      return false;
  }
}

const reader = new MessageReader(MAX_ORDER_BYTES);
for await (const chunk of Bun.stdin.stream())
  for (const order of reader.push(chunk)) {
    const found = await extract(order as ReadingOrder);
    await Bun.write(Bun.stdout, messageBytes(found));
  }
