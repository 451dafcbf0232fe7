/**
 * Texts of users that the server's own process works on: the function that does, the size up to which it does, and pieces that mean
 * something to it. `bench/stalls_growth.ts` grows random texts for each; `core/slow_inputs_test.ts` checks that longer texts
 * are refused or go to a child process.
 */
import type { Ui } from "lectern/contracts";
import { ApiError, type Children, type Viewer } from "lectern/core";
import { OWN_BYTES, parserFor } from "../../../core/http/large_bodies.ts";
import { slugOf } from "../../../core/i18n/slug.ts";
import { defaultInputLimits, queryOf, type TextBody } from "../../../core/input/body_parsing.ts";
import { parseListing } from "../../../core/input/listing_query.ts";
import { GUEST } from "../../../core/viewer.ts";
import { maxHookedBytes, maxOwnComparedChars, maxOwnHtmlChars } from "../../../plugins/content/markup/limits.ts";
import { createMarkup, DEFAULT_INCLUDES, DEFAULT_LIMITS } from "../../../plugins/content/markup/markup.ts";
import { offload } from "../../../plugins/content/markup/offload.ts";
import { headingsIn } from "../../../plugins/content/search/headings.ts";
import { parseQuery } from "../../../plugins/content/search/parse_query.ts";
import { MAX_PREVIEW_BODY } from "../../../plugins/content/search/presenter.ts";
import { previewOf } from "../../../plugins/content/search/preview.ts";
import { CHUNK, wordsIn } from "../../../plugins/content/search/tokenize.ts";
import { allWords, termsQuery } from "../../../plugins/content/search/tsquery.ts";
import { parseTags } from "../../../plugins/content/tags/parse_tags.ts";
import { MAX_INLINE_CHARS as MAX_PRINTABLE, printableFor } from "../../../plugins/transfer/exports/printable.ts";
import { MAX_INLINE_CHARS as MAX_CONVERTED, toMarkdown } from "../../../plugins/transfer/exports/to_markdown.ts";
import { commentInput } from "../../../plugins/web/reading/comment_text.ts";
import { decorate } from "../../../plugins/web/shell/decorate.ts";
import { framed, frameSources } from "../../../plugins/web/shell/frames.ts";
import { decorator, isShort, MAX_OWN_HTML } from "../../../plugins/web/shell/large_content.ts";

/** A text that the server's own process works on. */
export interface Grown {
  readonly name: string;
  /** Characters up to which the process works on it. */
  readonly maxChars: number;
  /** What keeps longer texts away: a child process, or a limit that is tested elsewhere. */
  readonly beyond: "child" | string;
  readonly pieces: readonly string[];
  /** What the function gets in place of the text, such as HTML that was sanitised when it was stored. */
  made?(text: string): string;
  /** Works on a text; throws `IN_CHILD` where a child process would. */
  run(text: string): unknown;
}

/** Thrown in place of work in a child process. */
export const IN_CHILD = new ApiError(503, "A child process does this");

/** Bytes of the head of a request that Bun reads. */
export const MAX_HEAD_BYTES = 16_384;

const children: Children = { run: () => Promise.reject(IN_CHILD) };
const viewer: Viewer = { ...GUEST, id: 1 };
const context = {
  children,
  limits: DEFAULT_LIMITS,
  converter: () => undefined,
  maxHookedBytes,
  includes: () => DEFAULT_INCLUDES,
};
const markup = offload(createMarkup(context), context);
// A type assertion, since decorating and comparing read no more of it.
const ui = { language: "en", viewer, t: (text: string) => text } as unknown as Ui;
const frames = { ...frameSources("https://*.youtube.com", "https://docs.example.com"), framed };
const LABELS = {
  ...{ table: "", done: "", open: "", picture: "", embedded: "" },
  ...{ enlarge: "", close: "", original: "", section: "Link to this section" },
};
const decorateAny = decorator({
  children,
  frames,
  sources: ["https://*.youtube.com", "https://docs.example.com"],
  pictures: () => [],
});
const parseBody = (kind: TextBody["kind"], text: string) =>
  parserFor(children, "viewer 1", () => undefined)({ kind, bytes: new TextEncoder().encode(text) }, defaultInputLimits);

/** Tags of a request: each is an object with a name and a value. */
const MAX_TAGS = Math.floor(defaultInputLimits.maxValues / 3);
const BLANKS = [" ", "\t", "\n", "\u00a0", "    ", "\n\n"];
const WORDS = [
  "a",
  "ab",
  "0",
  "é",
  "漢",
  "💥",
  "_",
  "-",
  ".",
  ",",
  "/",
  "\\",
  "'",
  '"',
  "@",
  "=",
  ":",
  ";",
  "#",
  "&",
  "%",
];
const TAGS =
  "p div span a b i em code pre h1 ul li ol table tr td td svg math template style script iframe details br img font";
const HTML = [
  ...[
    "<",
    ">",
    "</",
    "/>",
    "<!--",
    "-->",
    "<!",
    "<?",
    "<![CDATA[",
    "&lt;",
    "&amp;",
    "&#64;",
    "&",
    "{{@1}}",
    "{{@",
    "}}",
  ],
  ...[
    "<p id=a>",
    "<div id=b>",
    "<h1 id=a>",
    '<a href="#a">',
    '<a href="/books/a">',
    '<img src="data:image/png;base64,AAAA">',
  ],
  ...[
    '<p style="',
    "color:red;",
    "url(",
    '">',
    "<p a b c d ",
    " a=1",
    " a1",
    "<font a=1>",
    "<b>",
    "</b>",
    "</p>",
    "</div>",
    "</a>",
  ],
  ...TAGS.split(" ").flatMap((name) => [`<${name}>`, `</${name}>`]),
];
const MARKDOWN = [
  ...[
    "*",
    "**",
    "_",
    "__",
    "~~",
    "`",
    "```\n",
    "[",
    "]",
    "(",
    ")",
    "](",
    "![",
    "![a](",
    "<",
    ">",
    "> ",
    "- ",
    "1. ",
    "+ ",
    "\\",
  ],
  ...[
    "#",
    "# ",
    "=",
    "===\n",
    "---\n",
    "|",
    "|-|\n",
    "| a | b |\n",
    "http://",
    "https://",
    "www.",
    "a@b.c",
    "@e",
    "mailto:",
    "&#64;",
  ],
  ..."<a¦<!--¦<b>¦</b>¦[a]: /b\n¦[a][b]¦\"¦'¦  \n¦\n    ¦* * *\n¦- [ ] ¦!¦;¦$¦{{@1}}".split("¦"),
];
const QUERY = [...'"[]{}-=<>!:'.split(""), "like", "type:page", "[a=b]", "{tag:", "\\", "OR"];
const PAIRS = ["&", "=", "[", "]", "[a]", "[]", "filter[name:like]=", "sort=-", "%20", "%", "+", "count=1", "[0][a]="];

const OWN_HTML = { maxChars: maxOwnHtmlChars, beyond: "child", pieces: [...HTML, ...BLANKS, ...WORDS] } as const;

/** Texts by what they are. */
export const GROWN: readonly Grown[] = [
  {
    ...{ name: "HTML of a page", ...OWN_HTML },
    run: (html) => markup.preview({ html }, { viewer }),
  },
  {
    ...{ name: "HTML of a comment", ...OWN_HTML },
    run: (html) => markup.comment(html, { viewer }),
  },
  {
    ...{ name: "Markdown of a comment", ...OWN_HTML, pieces: [...MARKDOWN, ...WORDS] },
    run: (markdown) => markup.commentOfMarkdown(markdown, { viewer }),
  },
  {
    ...{ name: "HTML with passages", ...OWN_HTML },
    run: (html) => markup.passages(html, [{ place: "bkmrk-a:1:0-9", quote: html.slice(0, 1_000) }], { viewer }),
  },
  {
    ...{ name: "HTML with links", ...OWN_HTML },
    async run(html) {
      await markup.readdress(html, () => undefined, { viewer });
      await markup.relink({ html, markdown: html }, new Map([["https://docs.example.com/books/a", "/b"]]), { viewer });
    },
  },
  {
    ...{ name: "HTML on a screen", maxChars: MAX_OWN_HTML, beyond: "child", pieces: [...HTML, ...BLANKS, ...WORDS] },
    made: markup.safe,
    // Not the cache, which has the same text at its second time.
    run: (html) => (isShort(html) ? decorate(html, LABELS, { frames }) : decorateAny(html, ui)),
  },
  {
    ...{ name: "HTML in a PDF", maxChars: MAX_PRINTABLE, beyond: "child", pieces: [...HTML, ...BLANKS, ...WORDS] },
    made: markup.safe,
    run: (html) => printableFor(children, html, viewer),
  },
  {
    ...{ name: "HTML as Markdown", maxChars: MAX_CONVERTED, beyond: "child", pieces: [...HTML, ...BLANKS, ...WORDS] },
    made: markup.safe,
    run: (html) => toMarkdown(children, html, viewer),
  },
  {
    ...{ name: "Markdown of a page", maxChars: maxOwnHtmlChars, beyond: "child" },
    pieces: [...MARKDOWN, ...BLANKS, ...WORDS],
    run: (markdown) => markup.preview({ markdown }, { viewer }),
  },
  {
    ...{ name: "a text and its change", maxChars: maxOwnComparedChars, beyond: "child", pieces: [...WORDS, ...BLANKS] },
    run: (text) => markup.compare(text.slice(text.length / 2), text.slice(0, text.length / 2), { viewer }),
  },
  {
    ...{
      name: "a description",
      maxChars: 2_000,
      beyond: 'the rule "max:2000"',
      pieces: [...HTML, ...BLANKS, ...WORDS],
    },
    run(html) {
      const { description_html = "", description = "" } = markup.describe({ description_html: html }) ?? {};
      return markup.describeHtml(description_html, description);
    },
  },
  {
    ...{ name: "a stored comment in its form", maxChars: 65_535, beyond: "the limit of a comment" },
    pieces: ["<p>", "</p>", "<br>", "&lt;", "&amp;", ...BLANKS, ...WORDS],
    run: (html) => commentInput({ html }),
  },
  {
    ...{
      name: "headings for the search",
      maxChars: 40_000,
      beyond: "MAX_HEADING_HTML",
      pieces: ["<h1>", "</h1>", ...HTML, ...WORDS],
    },
    made: markup.safe,
    run: headingsIn,
  },
  {
    ...{
      name: "words for the search",
      maxChars: CHUNK,
      beyond: "CHUNK",
      pieces: [...WORDS, ...BLANKS, "ﷺ", "e\u0301", "าน"],
    },
    run: wordsIn,
  },
  {
    ...{
      name: "a found text",
      maxChars: MAX_PREVIEW_BODY,
      beyond: "MAX_PREVIEW_BODY",
      pieces: [...WORDS, ...BLANKS, "ﷺ", "e\u0301"],
    },
    run: (text) => previewOf(text, ["a", "ab", "é", "0"]),
  },
  {
    ...{
      name: "a search query",
      maxChars: MAX_HEAD_BYTES,
      beyond: "Bun's limit of a head",
      pieces: [...QUERY, ...WORDS, " "],
    },
    run(text) {
      const { terms, exacts } = parseQuery(text);
      return [termsQuery(terms, { joined: true }), allWords(exacts.map((exact) => exact.text))];
    },
  },
  {
    ...{
      name: "a query string",
      maxChars: MAX_HEAD_BYTES,
      beyond: "Bun's limit of a head",
      pieces: [...PAIRS, "a", "0"],
    },
    run: (text) => parseListing(queryOf(`/api/books?${text}`), { defaultCount: 100, maxCount: 500 }),
  },
  {
    ...{ name: "a form", maxChars: OWN_BYTES.form, beyond: "child", pieces: [...PAIRS, "a", "0"] },
    run: (text) => parseBody("form", text),
  },
  {
    ...{
      name: "a JSON body",
      maxChars: OWN_BYTES.json,
      beyond: "child",
      pieces: ["[", "[0,", "]", "{", '{"a":0}', "}", '"a"', '"a":', ",", "0", " ", '"'],
    },
    run: (text) => parseBody("json", text),
  },
  {
    ...{
      name: "a name",
      maxChars: 255,
      beyond: 'the rule "max:255"',
      pieces: [...WORDS, ...BLANKS, "ß", "ﷺ", "e\u0301"],
    },
    run: slugOf,
  },
  {
    ...{ name: "tags", maxChars: MAX_TAGS, beyond: "maxValues", pieces: WORDS },
    run: (text) => parseTags([...text].map((name) => ({ name, value: name }))),
  },
];
