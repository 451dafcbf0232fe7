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
#let fit(body, less: 0pt) = layout(size => { show word: it => cut(size.width - less, it); body })
`;

/** What is written for the engine, cut where its words are longer than the points given. */
export function fitted(written: string, width: number): string {
  const text = [...written.matchAll(RUNS)].map(([, run]) => run).join("");
  return isTooLong(text, width) ? `#fit[${written}]` : written;
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
