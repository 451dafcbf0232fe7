import { expect, test } from "bun:test";
import { strToU8, zipSync } from "fflate";
import { checked } from "./extractor.ts";
import { readOffice } from "./office.ts";
import { readPlain } from "./plain.ts";
import { mayHaveText } from "./signatures.ts";
import { Full, TextSink, Unreadable } from "./text_sink.ts";

const ROOM = { maxChars: 10_000, softMs: 60_000 };
const UNPACKED = 1_000_000;

/** The text of a plain file; undefined for what is none. */
function plain(bytes: Uint8Array | string): string | undefined {
  const sink = new TextSink(ROOM);
  return readPlain(typeof bytes === "string" ? strToU8(bytes) : bytes, sink) ? sink.text : undefined;
}

/** The text of an archive with these parts; undefined for what is no document. */
function office(parts: Readonly<Record<string, string>>, maxUnpacked = UNPACKED): string | undefined {
  const sink = new TextSink(ROOM);
  const bytes = zipSync(Object.fromEntries(Object.entries(parts).map(([name, text]) => [name, strToU8(text)])));
  return readOffice(bytes, sink, maxUnpacked) ? sink.text : undefined;
}

const word = (body: string) =>
  `<?xml version="1.0"?><w:document xmlns:w="w" xmlns:mc="mc"><w:body>${body}</w:body></w:document>`;

test("plain text is read in the encodings that people save it in", () => {
  const text = "Größe; naïve, 42";
  const wide = new Uint8Array(Buffer.from(text, "utf16le"));
  expect(plain(text)).toBe(text);
  expect(plain(`\ufeff${text}`)).toBe(text);
  expect(plain(new Uint8Array(Buffer.from(text, "latin1")))).toBe(text);
  expect(plain(wide)).toBe(text);
  expect(plain(new Uint8Array(Buffer.concat([Buffer.from([0xff, 0xfe]), wide])))).toBe(text);
  expect(plain(new Uint8Array(Buffer.concat([Buffer.from([0xfe, 0xff]), Buffer.from(wide).swap16()])))).toBe(text);
});

test("HTML is read without marks, scripts and styles, other text as it is", () => {
  const html =
    "<!doctype html><style>b{}</style><h1>R&amp;D</h1><p>one<b>two</b><br>three<script>hidden()</script></p>";
  expect(plain(html)).toBe("R&D\nonetwo\nthree");
  expect(plain('{"a": "x < y"}\n\n# Title')).toBe('{"a": "x < y"}\n# Title');
  expect(plain("{\\rtf1 secret}")).toBeUndefined();
});

test("data that is no text is not looked into", () => {
  expect(mayHaveText(new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 13]))).toBe(false);
  expect(plain(Uint8Array.from({ length: 3_000 }, (_, at) => (at * 7) % 31))).toBeUndefined();
});

test("a document has its notes and no text that was deleted or stands there twice", () => {
  const body = `<w:p><w:r><w:t>Seen</w:t><w:tab/><w:t>here</w:t></w:r><w:del><w:r><w:delText>deleted</w:delText></w:r></w:del></w:p>
    <mc:AlternateContent><mc:Choice><w:t>Box</w:t></mc:Choice><mc:Fallback><w:t>Box</w:t></mc:Fallback></mc:AlternateContent>`;
  const parts = { "word/footnotes.xml": word("<w:p><w:t>A note</w:t></w:p>"), "word/document.xml": word(body) };
  expect(office(parts)).toBe("Seen here\nBox\nA note");
});

test("slides are read in their order, with what their author notes", () => {
  const slide = (text: string) => `<p:sld xmlns:p="p" xmlns:a="a"><a:p><a:r><a:t>${text}</a:t></a:r></a:p></p:sld>`;
  expect(
    office({
      "ppt/slides/slide10.xml": slide("Tenth"),
      "ppt/slides/slide2.xml": slide("Second"),
      "ppt/notesSlides/notesSlide1.xml": slide("Say it slowly"),
      "ppt/presentation.xml": "<p/>",
    }),
  ).toBe("Second\nTenth\nSay it slowly");
});

test("an archive that unpacks to too much, is encrypted or damaged is refused with its reason", () => {
  const huge = word(`<w:t>${"a".repeat(UNPACKED)}</w:t>`);
  const reasons = [
    () => office({ "word/document.xml": huge }),
    () => office({ "word/document.xml": word("<w:p>") }),
    () => office({ "content.xml": "x", "META-INF/manifest.xml": "<m><encryption-data/></m>" }),
    () => readOffice(strToU8("PK\u0003\u0004 and no directory"), new TextSink(ROOM), UNPACKED),
    () => office({ "word/document.xml": `<!DOCTYPE d [<!ENTITY a "x">]><d><t>&a;</t></d>` }),
  ].map((read) => {
    try {
      return read();
    } catch (error) {
      return error instanceof Unreadable ? error.reason : error;
    }
  });
  expect(reasons).toEqual(["too large", "damaged", "encrypted", "damaged", "damaged"]);
  expect(office({ "photos/1.txt": "an archive of something else" })).toBeUndefined();
});

test("no more is read than the limits allow", () => {
  const sink = new TextSink({ maxChars: 10, softMs: 60_000 });
  expect(() => sink.add("twelve chars and more")).toThrow(Full);
  expect(sink.text).toBe("twelve cha");
  expect(() => new TextSink({ maxChars: 10, softMs: -1 }).add("x")).toThrow(Full);
});

test("an answer of the process is checked before it is stored", () => {
  expect(checked({ state: "read", text: "a\0b\ud800", reason: "x" }, { textChars: 4 })).toEqual({
    ...{ state: "read", text: "a b\ufffd", reason: null },
  });
  for (const wrong of [
    null,
    "read",
    { state: "read" },
    { state: "failed", reason: "cut" },
    { state: "failed", reason: 1 },
  ])
    expect(() => checked(wrong, { textChars: 4 })).toThrow("no answer");
});
