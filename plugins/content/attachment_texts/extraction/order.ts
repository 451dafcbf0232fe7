/** What the server asks of the process that reads a file, and what it answers. */

/** Why a file has no text that can be searched, or less than all of it. */
export const REASONS = [
  "cut",
  "damaged",
  "encrypted",
  "interrupted",
  "lost",
  "too much memory",
  "too slow",
  "too large",
] as const;
/** One of them; "cut" alone goes with a text. */
export type Reason = (typeof REASONS)[number];

/** A file to read, and limits that the process keeps to by itself. */
export interface ReadingOrder {
  readonly path: string;
  /** Characters of text, beyond which no more is read. */
  readonly maxChars: number;
  /** Milliseconds after which the text is given that was found so far. */
  readonly softMs: number;
  /** Bytes of what is unpacked of an archive. */
  readonly maxUnpackedBytes: number;
}

/** What was found: text, with "cut" where there is more; nothing that is text; or why nothing could be read. */
export type Extracted =
  | { readonly state: "read"; readonly text: string; readonly reason: "cut" | null }
  | { readonly state: "none" }
  | { readonly state: "failed"; readonly reason: Exclude<Reason, "cut"> };
