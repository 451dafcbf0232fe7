import { diffLines, diffWordsWithSpace } from "diff";
import type { Comparison, Ui } from "lectern/contracts";
import { type Html, html } from "lectern/core";

/** Longer texts are not compared. */
const MAX_LENGTH = 400_000;
/** Milliseconds that finding changed lines may take, and the words changed in all of them: it can grow with the square. */
const LINES_MS = 200;
const WORDS_MS = 200;
/** Characters of unchanged text shown around what was changed. */
const AROUND = 160;

type Part = Exclude<Comparison, "long">[number];

/**
 * What was changed from one text to another, line by line and within those word by word; long stretches that are the same
 * are left out. Nothing stands there for texts that are the same.
 */
export function difference({ before, after, comparison }: Texts, ui: Ui): Html {
  const parts = comparison ?? compare(before, after);
  if (parts === "long") return html`<p>${ui.t("The texts are too long to compare.")}</p>`;
  return html`<div class="difference" tabindex="0" role="figure" aria-label="${ui.t("Changes")}">${parts.map(
    ({ value, added, removed }, index) => {
      // Words for those who see no marks; colours are not all there is.
      if (added) return html`<ins><span class="unseen">${ui.t("Added:")} </span>${value}</ins>`;
      if (removed) return html`<del><span class="unseen">${ui.t("Removed:")} </span>${value}</del>`;
      return html`<span>${shortened(value, index === 0, index === parts.length - 1)}</span>`;
    },
  )}</div>`;
}

/** What `difference` shows; the comparison is made where there is none. */
interface Texts {
  readonly before: string;
  readonly after: string;
  readonly comparison?: Comparison | undefined;
}

/** Compares two texts. Takes up to half a second, so long texts belong into a child process. */
export function compare(before: string, after: string): Comparison {
  if (before.length + after.length > MAX_LENGTH) return "long";
  const lines = diffLines(before, after, { timeout: LINES_MS });
  if (!lines) return "long";
  const ends = performance.now() + WORDS_MS;
  const parts: Part[] = [];
  for (let at = 0; at < lines.length; at++) {
    const [line, next] = [lines[at] as Part, lines[at + 1]];
    const isPair = line.removed && next?.added;
    const timeout = ends - performance.now();
    const words = isPair && timeout > 0 ? diffWordsWithSpace(line.value, next.value, { timeout }) : undefined;
    if (words) at++;
    parts.push(...(words ?? [line]));
  }
  return parts;
}

function shortened(text: string, isFirst: boolean, isLast: boolean): string {
  const room = (isFirst ? 0 : AROUND) + (isLast ? 0 : AROUND);
  if (text.length <= room + AROUND) return text;
  return `${isFirst ? "" : text.slice(0, AROUND)} […] ${isLast ? "" : text.slice(-AROUND)}`;
}
