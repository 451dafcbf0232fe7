/**
 * Every regular expression of the product takes linear time: recheck proves it, or a proof stands here. A text of a user in the
 * server's process would otherwise stop the answers to everybody. An expression that begins anywhere in a text and repeats
 * up to a sign that is not there (`\s+$`, `<[^>]*>` over `<<<<`) takes quadratic time: use `trimChars`, an anchor, or a class that
 * excludes what the expression begins with.
 */
import { expect, test } from "bun:test";
import { allPatterns, doubtOf, type FoundPattern, patternsIn, provenPatterns } from "./_patterns.ts";
import { readSource } from "./_source.ts";

/** Expressions that recheck does not prove, by file and how they begin, and why they take linear time where they are used. */
const PROVEN: readonly { readonly path: string; readonly begins: string; readonly why: string }[] = [
  {
    path: "plugins/operations/scheduled_backups/places.ts",
    begins: "/^([a-z]",
    why: "a setting or argument of the operator",
  },
  { path: "core/events/event_bus.ts", begins: "/^(?!08|57P)", why: "a code of PostgreSQL has five characters" },
  {
    path: "core/events/read_tables.ts",
    begins: "/\\b(?:(?:now",
    why: "the blanks after a name are read once; SQL of plugins",
  },
  {
    path: "plugins/operations/s3_files/xml.ts",
    begins: "new RegExp(`<$",
    why: "answers of the operator's object store",
  },
  {
    path: "core/i18n/transliterate.ts",
    begins: "new RegExp( Object",
    why: "alternatives of two letters; nothing repeats",
  },
  { path: "core/children/confinement/confined_process.ts", begins: "new RegExp(`^$", why: "a file of the kernel" },
  {
    path: "core/children/confinement/trampoline.ts",
    begins: "/\\/ld(",
    why: "a file of the kernel, with paths of libraries",
  },
  { path: "core/runtime/plugin_setup.ts", begins: "/^\\s*at ", why: "lines of at most MAX_FRAME characters" },
  { path: "core/runtime/versions.ts", begins: "/^\\s*(?:v?", why: "a range of versions in a plugin's declaration" },
  { path: "core/validation/rule_checks.ts", begins: "/^(?!\\.)", why: "a text of at most MAX_EMAIL characters" },
  {
    path: "db/connection/statement_kind.ts",
    begins: "/\\b(?:insert",
    why: "statements of plugins; each repetition runs within a word",
  },
  {
    path: "plugins/accounts/sessions/session_cache.ts",
    begins: "new RegExp(`^[A-Za-z0-9]{",
    why: "a fixed number of characters",
  },
  {
    path: "plugins/content/links/addresses.ts",
    begins: "/^\\/(?:books",
    why: "anchored; of texts of at most MAX_PATH characters",
  },
  {
    ...{ path: "plugins/content/markup/links.ts", begins: "/(\\]\\(\\s{0,99}<?" },
    why: "at most 99 blanks are read from each place; an address is read to its end, where the search goes on",
  },
  {
    ...{ path: "plugins/content/markup/markdown.ts", begins: "/<\\/?(?=del" },
    why: "looks ahead at one sign; what begins a line is read once, from the beginning of the line",
  },
  {
    ...{ path: "plugins/content/markup/marked_converter.ts", begins: "/(?<![ \\t])[ \\t]+\\n/" },
    why: "begins only where no blank precedes, so each run of blanks is read once",
  },
  {
    path: "plugins/content/markup/offload.ts",
    begins: "new RegExp(`$",
    why: "a random text, then digits, then a dash",
  },
  { path: "plugins/content/search/parse_date.ts", begins: "/^(?<", why: "a text of at most MAX_TEXT characters" },
  {
    ...{ path: "plugins/content/search/parse_query.ts", begins: "/^(.*?)(!=" },
    why: "of one line: the first operator ends the first part, and the rest always matches",
  },
  {
    ...{ path: "plugins/content/search/preview.ts", begins: "/[\\x00-\\x7f]+(?!\\p{M})" },
    why: "before a mark it gives back one character, which the second part takes",
  },
  {
    path: "plugins/content/search/tokenize.ts",
    begins: "/([\\p{sc=Han}",
    why: "three classes without a common character, each repeated alone",
  },
  {
    path: "plugins/content/slug_history/queries.ts",
    begins: "/^\\/(books",
    why: "anchored; each part ends at a slash that it does not contain",
  },
  {
    path: "plugins/operations/version_check/newest_version.ts",
    begins: "/^\\d+",
    why: "anchored; digits end at a point, and 40 characters follow",
  },
  {
    ...{ path: "plugins/operations/webhooks/payload_filters.ts", begins: "/(?<!\\\\)((?:" },
    why: "begins only where no backslash precedes, so each run of them is read once",
  },
  {
    path: "plugins/themes/theme_errors.ts",
    begins: "/(?:file:",
    why: "lines of the stack of a theme's own error at a start",
  },
  {
    ...{ path: "plugins/transfer/exports/printable.ts", begins: "/<iframe" },
    why: "HTML of the serialiser has `<` and `>` in tags alone, so that each tag is read to its own end",
  },
  { path: "plugins/transfer/exports/printable.ts", begins: "/<[a-z]", why: "HTML of the serialiser, as above" },
  {
    path: "plugins/transfer/exports/typst/long_words.ts",
    begins: "new RegExp(`[^",
    why: "one class repeated, in a child process",
  },
  {
    path: "plugins/transfer/exports/typst/missing_glyphs.ts",
    begins: "new RegExp(`^",
    why: "one character at the beginning",
  },
  { path: "plugins/web/editing/", begins: "new RegExp(`^$", why: "anchored, ten digits at most" },
  { path: "plugins/web/shell/icons.ts", begins: "/<svg", why: "an icon that a plugin brings, at the boot" },
  {
    path: "plugins/web/shell/svg.ts",
    begins: "/^(?!.*url",
    why: "anchored, of an attribute of an icon that a plugin brings",
  },
];

const isProven = ({ place, pattern }: FoundPattern) =>
  PROVEN.some(({ path, begins }) => place.startsWith(path) && pattern.startsWith(begins));

/** Findings of expressions; those in `known` are not checked again. */
function slow(patterns: readonly FoundPattern[], known: ReadonlySet<string>): string[] {
  return patterns
    .filter((one) => !known.has(one.pattern) && !isProven(one))
    .flatMap(({ place, pattern }) => {
      const doubt = doubtOf(pattern);
      return doubt === undefined ? [] : [`${place}: ${pattern} ${doubt}`];
    });
}

test("every regular expression takes linear time", () => {
  expect(slow(allPatterns(), provenPatterns())).toEqual([]);
});

test("the list of proofs names no expression that is gone", () => {
  const patterns = allPatterns();
  const isThere = ({ path, begins }: (typeof PROVEN)[number]) =>
    patterns.some(({ place, pattern }) => place.startsWith(path) && pattern.startsWith(begins));
  expect(PROVEN.filter((proof) => !isThere(proof))).toEqual([]);
});

test("the rule of expressions can fail", () => {
  const patternsOf = (text: string) => patternsIn(readSource("core/x.ts", text));
  const findings = (text: string) => slow(patternsOf(text), new Set());
  // Those that stopped the server once.
  expect(findings("text.replace(/^\\/+|\\/+$/g, '')")).toEqual([expect.stringMatching(/^core\/x\.ts:1: .*polynomial/)]);
  expect(findings("\nreturn /^[ \\t\\n\\r\\0\\v]+|[ \\t\\n\\r\\0\\v]+$/g;")).toEqual([
    expect.stringContaining("core/x.ts:2: "),
  ]);
  expect(findings(`const A = "a+";\nconst B = new RegExp(\`\${A}$\`, "g");`)).toEqual([
    expect.stringContaining("core/x.ts:2: /a+$/g takes"),
  ]);
  expect(findings("new RegExp(`^$" + "{given}+$`)")).toEqual([
    expect.stringContaining("is built of texts that are not constant"),
  ]);
  expect(findings("/(?=a)b+/")).toEqual([expect.stringContaining("is not understood")]);
  expect(findings("const a = 4 / 2 + 3 / 1; text.match(/^a+$/); 'a/b+/c'; /a+/")).toEqual([]);
  expect(patternsOf("// /a+$/\nconst a = /a+$/;")).toHaveLength(1);
});
