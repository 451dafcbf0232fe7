/**
 * Breaks words that are longer than a line. Typst measures such words during layout and breaks them with empty boxes, which
 * are not copied with the text. Measuring is slow, so it is requested only where an estimate says that a word may be too
 * long.
 */

/** Upper bounds of letter widths in points at the size of body text, bold included; other letters count as the widest. */
const WIDTHS: readonly (readonly [letters: RegExp, points: number])[] = [
  [/[ijlftr.,:;'|!()[\]-]/, 4.6],
  [/[a-ln-vx-z0-9_/\\?&=#+*$"<>{}~^]/, 6.7],
  [/[A-LN-VX-Z]/, 8.4],
];
const WIDEST = 10;
/** Scripts that Typst breaks between letters or by a dictionary. */
const SELF_BREAKING_SCRIPTS = ["Han", "Hiragana", "Katakana", "Hangul", "Thai", "Lao", "Khmer", "Myanmar"];
const WORD = new RegExp(`[^\\s${SELF_BREAKING_SCRIPTS.map((script) => `\\p{Script=${script}}`).join("")}]{2,}`, "gu");
/** String literals within rendered Typst. */
const RUNS = /#(?:raw\()?"((?:[^"\\]|\\.)*)"/g;

/** Typst source that defines `fit`; every file of a document begins with it. */
export const FIT = `#let word = regex("[^\\\\s${SELF_BREAKING_SCRIPTS.map((script) => `\\\\p{${script}}`).join("")}]+")
#let cut(room, it) = context {
  let wide = measure(it.text).width
  if wide <= room or room <= 0pt { it } else {
    let letters = it.text.clusters()
    let step = calc.max(1, int(letters.len() * (room / wide) / 16))
    range(0, letters.len(), step: step).map(at => letters.slice(at, calc.min(at + step, letters.len())).join()).join(box())
  }
}
#let fit(body, less: 0pt) = layout(size => {
  let room = size.width - less
  // No letter is wider than it is high, so most words need no measuring.
  let short = int(room / 1em.to-absolute())
  show word: it => if it.text.len() <= short { it } else { cut(room, it) }
  body
})
`;

/** How many more blocks of a document may be measured, each of which takes Typst up to 200 kB. */
export interface MeasureBudget {
  left: number;
}

/** The budget of a document. */
export const MAX_MEASURED = 2_000;

/**
 * Rendered Typst with its long words broken to fit `width` points, of which `frame` are taken by a frame. When the budget is
 * used up, zero-width spaces are inserted instead, which are copied with the text.
 */
export function breakLongWords(
  source: string,
  { width, budget, frame = 0 }: { width: number; budget: MeasureBudget; frame?: number },
): string {
  const text = [...source.matchAll(RUNS)].map(([, run = ""]) => run.replace(/\\[nt]/g, " ")).join("");
  if (!isTooLong(text, width - frame)) return source;
  if (budget.left <= 0)
    return source.replace(RUNS, (whole, run: string) => {
      const start = whole.indexOf('"') + 1;
      return `${whole.slice(0, start)}${withZeroWidthSpaces(run, width - frame)}"`;
    });
  budget.left -= 1;
  return `#fit${frame === 0 ? "" : `(less: ${frame}pt)`}[${source}]`;
}

/** An escaped string with a zero-width space after each letter of its long words. */
function withZeroWidthSpaces(run: string, width: number): string {
  const withSpaces = (word: string) => (widthOf(word) > width ? (word.match(/\\.|./gsu) ?? []).join("\u200b") : word);
  return run
    .split(/(\\[nt])/)
    .map((part, index) => (index % 2 === 1 ? part : part.replace(WORD, withSpaces)))
    .join("");
}

/** Whether a word of a text may be wider than `width` points. */
export function isTooLong(text: string, width: number): boolean {
  for (const [word] of text.matchAll(WORD)) if (word.length * WIDEST > width && widthOf(word) > width) return true;
  return false;
}

function widthOf(word: string): number {
  let width = 0;
  for (const letter of word) width += WIDTHS.find(([letters]) => letters.test(letter))?.[1] ?? WIDEST;
  return width;
}
