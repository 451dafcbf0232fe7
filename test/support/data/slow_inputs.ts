/**
 * Texts that took more than linear time, or much of it: found by `bun test/bench/stalls.ts --grow`, or reported. A text is `before`, then
 * `unit` repeated, then `after`.
 */
export interface SlowInput {
  /** The name of a `Grown`. */
  readonly of: string;
  readonly before: string;
  readonly unit: string;
  readonly after: string;
}

/** A text of so many characters at most, if that is more than its parts have. */
export function grownTo(chars: number, { before, unit, after }: Omit<SlowInput, "of">): string {
  const length = Math.max(unit.length, chars - before.length - after.length);
  return before + unit.repeat(Math.floor(length / unit.length)) + after;
}

/** The corpus. */
export const SLOW_INPUTS: readonly SlowInput[] = [
  {
    of: "HTML of a page",
    before: "<p><b><i><u><s><em><tt><big><code><font><small><strong><strike></p>",
    unit: "<p>x",
    after: "",
  },
  { of: "HTML of a page", before: "<p>a", unit: " ", after: "x</p>" },
  { of: "Markdown of a page", before: "", unit: "http://", after: "" },
  { of: "Markdown of a page", before: "", unit: "=", after: "@e" },
  { of: "Markdown of a page", before: "", unit: "=@e", after: "" },
  { of: "Markdown of a page", before: "{{@1}}", unit: "~~:", after: '"' },
  { of: "Markdown of a page", before: "0", unit: "~~-&", after: "&https://" },
  { of: "HTML of a page", before: "", unit: '<a href="/books/a">', after: "" },
  { of: "HTML of a page", before: "</style>", unit: "#&", after: '"' },
  { of: "HTML of a page", before: "<td>0", unit: " a1", after: "/>" },
  { of: "HTML of a page", before: "<div id=a>".repeat(190), unit: " ", after: "x" },
  { of: "HTML of a comment", before: "</b>", unit: "\t/&", after: "{{@" },
  { of: "HTML with links", before: '<a href="https://docs.example.com', unit: "/", after: '">' },
  { of: "HTML with links", before: "<ul>\n", unit: '<a href="/books/a">\n\naba', after: "</a></pre>" },
  { of: "HTML on a screen", before: '<p style="color:', unit: " ", after: '{">x</p>' },
  { of: "HTML on a screen", before: '<p style="color:x', unit: " ", after: 'y">x</p>' },
  { of: "HTML on a screen", before: "", unit: '"><ul></p>', after: "" },
  { of: "HTML in a PDF", before: "", unit: "<p a b c d <a", after: "" },
  { of: "HTML as Markdown", before: "</math>", unit: "<h1 id=a></p><code>", after: "" },
  { of: "HTML as Markdown", before: "", unit: "</br>=<pre>", after: "ab\t" },
  { of: "a stored comment in its form", before: "<p>a", unit: " ", after: "b</p>" },
  { of: "a search query", before: "", unit: "[ ", after: "" },
  { of: "a search query", before: "[", unit: "=", after: "\n]" },
  { of: "a found text", before: "", unit: "ﷺ", after: "" },
];
