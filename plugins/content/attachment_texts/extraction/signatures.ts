/** What a file is, by its first bytes and never by its name. */

/** Bytes by which files are told apart. */
export const HEAD_BYTES = 4_096;
/** The mark of a PDF stands within this many bytes. */
const PDF_WITHIN = 1_024;
const ZIP = "PK\u0003\u0004";
/** Files of Microsoft Office before 2007, and encrypted ones since. */
const COMPOUND = "\u00d0\u00cf\u0011\u00e0";
/** The share of zero bytes from which text has two bytes a character, if they are at every second place. */
const WIDE_SHARE = 0.25;
/** Zero bytes at the other places that such a text has at most. */
const MAX_STRAY_SHARE = 0.01;

/** A family of files. */
export type Signature = "pdf" | "zip" | "compound" | "plain" | "other";
/** Encodings of plain text in two bytes a character. */
export type WideEncoding = "utf-16le" | "utf-16be";

/** The family of a file by its first bytes, `HEAD_BYTES` or all it has. */
export function signatureOf(bytes: Uint8Array): Signature {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, HEAD_BYTES));
  if (head.subarray(0, PDF_WITHIN).includes("%PDF-")) return "pdf";
  const mark = head.toString("latin1", 0, ZIP.length);
  if (mark === ZIP) return "zip";
  if (mark === COMPOUND) return "compound";
  return head.includes(0) && wideEncodingOf(head) === undefined ? "other" : "plain";
}

/** Whether a file is worth to be looked into; pictures, films and programs are not. */
export function mayHaveText(head: Uint8Array): boolean {
  return signatureOf(head) !== "other";
}

/** The encoding of text in two bytes a character: by its mark, or since every second byte of Western letters is zero. */
export function wideEncodingOf(head: Uint8Array): WideEncoding | undefined {
  const [first, second] = head;
  if (first === 0xff && second === 0xfe) return "utf-16le";
  if (first === 0xfe && second === 0xff) return "utf-16be";
  let [even, odd] = [0, 0];
  for (let at = 0; at < head.length; at++) {
    if (head[at] !== 0) continue;
    if (at % 2 === 0) even += 1;
    else odd += 1;
  }
  if (Math.max(even, odd) < head.length * WIDE_SHARE || Math.min(even, odd) > head.length * MAX_STRAY_SHARE)
    return undefined;
  return odd > even ? "utf-16le" : "utf-16be";
}
