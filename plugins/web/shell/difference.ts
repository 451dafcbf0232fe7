import { diffLines, diffWordsWithSpace } from "diff";
import type { Comparison, Ui } from "lectern/contracts";
import { type Html, html } from "lectern/core";

/** Longest texts together that are compared, in characters. */
const MAX_LENGTH = 400_000;
/** Limits of comparing lines, and then words, in milliseconds; the time can grow quadratically. */
const LINES_MS = 200;
const WORDS_MS = 200;
/** Characters of unchanged text shown around a change. */
const CONTEXT = 160;

type Part = Exclude<Comparison, "long">[number];

/** Draws the changes from one text to another, by line and within lines by word; long unchanged parts are shortened. */
export function difference({ before, after, comparison }: ComparedTexts, ui: Ui): Html {
  const parts = comparison ?? compare(before, after);
  if (parts === "long") return html`<p>${ui.t("The texts are too long to compare.")}</p>`;
  return html`<div class="difference" tabindex="0" role="figure" aria-label="${ui.t("Changes")}">${parts.map(
    ({ value, added, removed }, index) => {
      // Texts for screen readers, which do not announce the marks.
      if (added) return html`<ins><span class="unseen">${ui.t("Added:")} </span>${value}</ins>`;
      if (removed) return html`<del><span class="unseen">${ui.t("Removed:")} </span>${value}</del>`;
      return html`<span>${shortened(value, index === 0, index === parts.length - 1)}</span>`;
    },
  )}</div>`;
}

/** The texts of `difference`; they are compared where `comparison` is absent. */
/** Two texts, with their comparison where they are long. */
export interface ComparedTexts {
  readonly before: string;
  readonly after: string;
  readonly comparison?: Comparison | undefined;
}

/** Compares two texts. Takes up to half a second, so long texts are compared in a child process. */
export function compare(before: string, after: string): Comparison {
  if (before.length + after.length > MAX_LENGTH) return "long";
  const lines = diffLines(before, after, { timeout: LINES_MS });
  if (!lines) return "long";
  const ends = performance.now() + WORDS_MS;
  const parts: Part[] = [];
  for (let at = 0; at < lines.length; at++) {
    const [line, next] = lines.slice(at);
    if (!line) break;
    const isPair = line.removed && next?.added;
    const timeout = ends - performance.now();
    const words = isPair && timeout > 0 ? diffWordsWithSpace(line.value, next.value, { timeout }) : undefined;
    if (words) at++;
    parts.push(...(words ?? [line]));
  }
  return parts;
}

function shortened(text: string, isFirst: boolean, isLast: boolean): string {
  const shownLength = (isFirst ? 0 : CONTEXT) + (isLast ? 0 : CONTEXT);
  if (text.length <= shownLength + CONTEXT) return text;
  return `${isFirst ? "" : text.slice(0, CONTEXT)} […] ${isLast ? "" : text.slice(-CONTEXT)}`;
}
