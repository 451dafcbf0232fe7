/**
 * Words that are longer than a line. Which those are is known where the line is set, and so is how much of one fits: the
 * engine measures them there and cuts them with empty boxes, which nobody copies along. That takes its time, so it is asked
 * for only where a word seems to be too long.
 */

/** Points that letters are wide at most, bold ones as well, at the size of running text; others count as the widest. */
const WIDTHS: readonly (readonly [letters: RegExp, points: number])[] = [
  [/[ijlftr.,:;'|!()[\]-]/, 4.6],
  [/[a-ln-vx-z0-9_/\\?&=#+*$"<>{}~^]/, 6.7],
  [/[A-LN-VX-Z]/, 8.4],
];
const WIDEST = 10;
/** Scripts that are broken between letters or by a dictionary; the engine knows how. */
const BROKEN_ANYWHERE = ["Han", "Hiragana", "Katakana", "Hangul", "Thai", "Lao", "Khmer", "Myanmar"];
const WORD = new RegExp(`[^\\s${BROKEN_ANYWHERE.map((script) => `\\p{Script=${script}}`).join("")}]{2,}`, "gu");
/** Runs of text within what is written for the engine. */
const RUNS = /#(?:raw\()?"((?:[^"\\]|\\.)*)"/g;

/** What every file of a document begins with, so that `fit` can be called. */
export const FIT = `#let word = regex("[^\\\\s${BROKEN_ANYWHERE.map((script) => `\\\\p{${script}}`).join("")}]+")
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

/** How many more times a document may have the engine measure its words, which takes it up to 200 kB each. */
export interface Cuts {
  left: number;
}

/** Cuts by measuring that a document has. */
export const MOST_CUTS = 2_000;

/**
 * What is written for the engine, cut where its words are longer than the points given, of which a frame takes some. When
 * a document has no cuts left, blanks of no width must do: they are copied along, but it is made.
 */
export function fitted(
  written: string,
  { width, cuts, frame = 0 }: { width: number; cuts: Cuts; frame?: number },
): string {
  const text = [...written.matchAll(RUNS)].map(([, run = ""]) => run.replace(/\\[nt]/g, " ")).join("");
  if (!isTooLong(text, width - frame)) return written;
  if (cuts.left <= 0)
    return written.replace(RUNS, (whole, run: string) => {
      const start = whole.indexOf('"') + 1;
      return `${whole.slice(0, start)}${loosened(run, width - frame)}"`;
    });
  cuts.left -= 1;
  return `#fit${frame === 0 ? "" : `(less: ${frame}pt)`}[${written}]`;
}

/** A run of text, still escaped, with a blank of no width after each letter of its long words. */
function loosened(run: string, width: number): string {
  const loose = (word: string) => (widthOf(word) > width ? (word.match(/\\.|./gsu) ?? []).join("\u200b") : word);
  return run
    .split(/(\\[nt])/)
    .map((part, index) => (index % 2 === 1 ? part : part.replace(WORD, loose)))
    .join("");
}

/** Whether a word of a text may be wider than the points given. */
export function isTooLong(text: string, width: number): boolean {
  for (const [word] of text.matchAll(WORD)) if (word.length * WIDEST > width && widthOf(word) > width) return true;
  return false;
}

function widthOf(word: string): number {
  let width = 0;
  for (const letter of word) width += WIDTHS.find(([letters]) => letters.test(letter))?.[1] ?? WIDEST;
  return width;
}
