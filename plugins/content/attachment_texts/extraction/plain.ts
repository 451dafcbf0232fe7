import { Tokenizer } from "parse5";
import { HEAD_BYTES, wideEncodingOf } from "./signatures.ts";
import { Full, type TextSink } from "./text_sink.ts";

/** Characters that are added at a time, so that the limits are looked at between them. */
const PIECE = 16_384;
/** Bytes that are read of a file. */
const MAX_BYTES = 20_000_000;
/** The last character may be cut. */
const AS_A_PART = { stream: true };
/** Characters of the beginning by which text is told from other data. */
const LOOKED_AT = 65_536;
/** Which share of the characters of a text may be control characters. */
const MAX_CONTROLS = 0.02;
/** The beginning of HTML, XML and pictures in SVG. */
const MARKUP = /^\s*<[a-z!?]/i;
/** Rich text and PostScript: text files whose contents are instructions. */
const INSTRUCTIONS = /^(?:\{\\rtf|%!PS)/;
const BLOCKS = new Set(
  "address article blockquote br dd div dl dt figure footer h1 h2 h3 h4 h5 h6 header hr li ol p pre section table tr ul".split(
    " ",
  ),
);
const UNSEEN = new Set(["script", "style", "template", "noscript"]);

/** Reads a file of plain text, such as Markdown, CSV, JSON, or HTML. Returns whether it is one. Throws Full. */
export function readPlain(bytes: Uint8Array, sink: TextSink): boolean {
  const text = decoded(bytes.subarray(0, MAX_BYTES));
  if (text === undefined || INSTRUCTIONS.test(text)) return false;
  if (MARKUP.test(text)) readMarked(text, sink);
  else for (let at = 0; at < text.length; at += PIECE) sink.add(text.slice(at, at + PIECE));
  if (bytes.length > MAX_BYTES) throw new Full();
  return true;
}

/** The text that bytes are; undefined if they are no text. */
export function decoded(bytes: Uint8Array): string | undefined {
  const wide = wideEncodingOf(bytes.subarray(0, HEAD_BYTES));
  if (wide !== undefined) return plausible(new TextDecoder(wide).decode(bytes));
  try {
    return plausible(new TextDecoder("utf-8", { fatal: true }).decode(bytes, AS_A_PART));
  } catch {
    return plausible(new TextDecoder("windows-1252").decode(bytes));
  }
}

/** The text, unless too many of its characters are none that people write. */
function plausible(text: string): string | undefined {
  const head = text.slice(0, LOOKED_AT);
  const controls = head.match(/[[\p{Cc}\ufffd]--[\t\n\v\f\r]]/gv)?.length ?? 0;
  return controls > head.length * MAX_CONTROLS ? undefined : text;
}

/** Adds the text of HTML as its tokens come, without a tree. */
function readMarked(html: string, sink: TextSink): void {
  let unseen = "";
  const blank = () => sink.add(" ");
  const shown = ({ chars }: { chars: string }) => {
    if (unseen === "") sink.add(chars);
  };
  const tokenizer = new Tokenizer(
    { sourceCodeLocationInfo: false },
    {
      onStartTag({ tagName }) {
        if (unseen === "" && UNSEEN.has(tagName)) unseen = tagName;
        sink.add(BLOCKS.has(tagName) ? "\n" : "");
      },
      onEndTag({ tagName }) {
        if (tagName === unseen) unseen = "";
        if (tagName === "td" || tagName === "th") blank();
        else if (BLOCKS.has(tagName)) sink.add("\n");
      },
      onCharacter: shown,
      onWhitespaceCharacter: blank,
      onNullCharacter() {},
      onComment() {},
      onDoctype() {},
      onEof() {},
    },
  );
  for (let at = 0; at < html.length; at += PIECE)
    tokenizer.write(html.slice(at, at + PIECE), at + PIECE >= html.length);
}
