/**
 * Markdown beside another converter: 2,000 random documents, the same in each run, become the same HTML as with cmark-gfm (Debian's
 * package `cmark-gfm`), the reference implementation of CommonMark with tables, tasks and strikethrough. What BookStack was recorded
 * to answer comes first (`plugins/content/markup/markdown_test.ts`). Where the two differ, `DIFFERENCES` has the document and the reason.
 */
import { expect, test } from "bun:test";
import { toHtml } from "../../plugins/content/markup/markdown.ts";
import { serialize } from "../../plugins/content/markup/serialize.ts";
import { parse } from "../../plugins/content/markup/tree.ts";

const DOCUMENTS = 2_000;
const MAX_LINES = 8;
const SEED = 28;

/** What lines begin with: containers, indentation, or nothing, which is as frequent as in texts. */
const BEGINNINGS: readonly string[] = [
  ...[
    "",
    "",
    "",
    "",
    "",
    "",
    "  ",
    "   ",
    "    ",
    "     ",
    "\t",
    "- ",
    "- ",
    "-   ",
    "* ",
    "+ ",
    "1. ",
    "1. ",
    "2. ",
    "10) ",
  ],
  ...["> ", "> ", ">", "  - ", "    - ", "   1. ", "  > ", "- > ", "> - ", "- - ", "1. - "],
];
const LINES: readonly string[] = [
  ...[
    "",
    "",
    "",
    "",
    "",
    "one",
    "two  ",
    "three\\",
    "a b ",
    "a *b* c",
    "**bold** text",
    "_em_ and __strong__",
    "`code` x",
  ],
  ...[
    "~~gone~~ x",
    "~one~",
    "[a](/b)",
    "[ref]",
    '![i](/p.png "t")',
    "# head",
    "## head ##",
    "#two",
    "---",
    "===",
    "***",
  ],
  ...[
    "```",
    "```js",
    "~~~",
    "<div>",
    "</div>",
    "<b>x</b> y",
    "<!-- c -->",
    "| a | b |",
    "|---|:-:|",
    "| 1 | 2 |",
    "a | b",
  ],
  ...[
    "- | -",
    "[ ] task",
    "[x] done",
    "[ref]: /url 'title'",
    "&amp; &copy; < >",
    "\\*no\\*",
    "-",
    "1.",
    "12. n",
    "a  b   ",
  ],
  ...[
    "<https://e.com>",
    "*a **b* c**",
    "snake_case_x",
    "2 * 3 * 4",
    "<del>x</del> ~~y~~",
    "<tr><td>x</td></tr>",
    "a\tb",
  ],
];
const TABLE = ["| a | b |", "|---|:-:|", "| 1 | `x` |"].join("\n");

/** Every document whose HTML differs, by the reason. */
const DIFFERENCES: readonly { readonly reason: string; readonly documents: readonly string[] }[] = [
  {
    reason: "cmark-gfm keeps the blanks before a text that follows a definition in an item or a quote",
    documents: [
      "> [ref]: /url 'title'\n    ===\n===\n> - *a **b* c**",
      "   1. [ref]: /url 'title'\n\ta *b* c\n2. **bold** text",
      "\n   1. [ref]: /url 'title'\n   one\n- [ref]\n> \\*no\\*\n>1.",
      "\tsnake_case_x\n  - ***\n>[ref]: /url 'title'\n\t---\n> a  b   ",
    ],
  },
  {
    reason: "cmark-gfm takes a definition before a table for text",
    documents: [
      `  > [ref]: /url 'title'\n${TABLE.replaceAll(/^/gm, ">")}\n1. \\*no\\*\n\n1. a\tb\n${TABLE.replaceAll(/^/gm, "  ")}\n* [x] done`,
      `  - \\*no\\*\n> <del>x</del> ~~y~~\n     <!-- c -->\n1. - ***\n-   [ref]: /url 'title'\n${TABLE.replaceAll(/^/gm, "     ")}\n    one`,
      `   1. ~one~\n    - *a **b* c**\n> two  \n10) [ref]: /url 'title'\n${TABLE.replaceAll(/^/gm, "\t")}\n+ [ ] task`,
    ],
  },
  {
    reason:
      "a definition after a blank line makes a list loose (example 317 of CommonMark); in cmark-gfm the last one does not",
    documents: ["---\n- a *b* c\n    - \n2. &amp; &copy; < >\n   a *b* c\n\t\n\t[ref]: /url 'title'"],
  },
  {
    reason: "a blank line after a rule makes a list loose (CommonMark); it does not in cmark-gfm",
    documents: ["  a b \n- ***\n  \n  `code` x\n   1. 1."],
  },
  {
    reason: "after HTML and a blank line Bun's converter takes a list for tight",
    documents: ["1. - three\\\n     -\n\t~~gone~~ x\n   </div>\n- `code` x\n   <div>\n     \n- > <tr><td>x</td></tr>"],
  },
  {
    reason: "before an item that begins with an empty line Bun's converter takes a list for tight",
    documents: ["> - snake_case_x\n-\n- - <del>x</del> ~~y~~\n     \n- \n    | 1 | 2 |"],
  },
  {
    reason: "a box before a heading is text in Bun's converter, and a task in cmark-gfm",
    documents: ["  - [x] done\n\t-\n```"],
  },
];

/** Numbers from 0 to 1 that a seed determines (mulberry32). */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function documents(count: number, seed: number): string[] {
  const next = numbers(seed);
  const below = (end: number) => Math.floor(next() * end);
  const line = () => {
    const begin = BEGINNINGS[below(BEGINNINGS.length)] ?? "";
    return below(20) === 0 ? TABLE.replaceAll(/^/gm, begin) : begin + (LINES[below(LINES.length)] ?? "");
  };
  return Array.from({ length: count }, () => Array.from({ length: 1 + below(MAX_LINES) }, line).join("\n"));
}

/** HTML in which what BookStack writes otherwise (content-api 9.6) is the same: struck text, and a checkbox before its paragraph. */
function comparable(html: string): string {
  return serialize(parse(html))
    .replace(/<(\/?)del>/g, "<$1s>")
    .replaceAll(' class="task-list-item"', "")
    .replace(/<input[^>]*>\s*/g, (box) => (/ checked\b/.test(box) ? "[x] " : "[ ] "))
    .replace(/<li>(\[[x ]\] )\s*<p>/g, "<li><p>$1")
    .replace(/[ \t]*\n[ \t]*/g, "\n")
    .replace(/\n(?=<)|(?<=>)\n/g, "")
    .trim();
}

function reference(markdown: string): string {
  const extensions = ["table", "strikethrough", "tasklist"].flatMap((name) => ["--extension", name]);
  const command = ["cmark-gfm", "--unsafe", ...extensions];
  return Bun.spawnSync(command, { stdin: Buffer.from(markdown) }).stdout.toString();
}

const isThere = Bun.which("cmark-gfm") !== null;
test.skipIf(!isThere)(
  `${DOCUMENTS} random documents become the same HTML as with cmark-gfm${isThere ? "" : ", which is not installed here"}`,
  () => {
    const different = documents(DOCUMENTS, SEED).filter(
      (markdown) => comparable(toHtml(markdown)) !== comparable(reference(markdown)),
    );
    expect(different.sort()).toEqual(DIFFERENCES.flatMap(({ documents }) => documents).sort());
  },
);
