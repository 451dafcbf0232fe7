import type { Comparison, Ui } from "lectern/contracts";
import { type Html, html } from "lectern/core";

/** Characters of unchanged text shown around a change. */
const CONTEXT = 160;

/** Draws the changes from one text to another; long unchanged parts are shortened. */
export function difference({ before, after, comparison }: ComparedTexts, ui: Ui): Html {
  const parts = comparison ?? whole(before, after);
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

/** Two texts, with their comparison; without it they are shown whole. */
export interface ComparedTexts {
  readonly before: string;
  readonly after: string;
  readonly comparison?: Comparison | undefined;
}

function whole(before: string, after: string): Comparison {
  if (before === after) return [{ value: after }];
  return [
    { value: before, removed: true },
    { value: after, added: true },
  ];
}

function shortened(text: string, isFirst: boolean, isLast: boolean): string {
  const shownLength = (isFirst ? 0 : CONTEXT) + (isLast ? 0 : CONTEXT);
  if (text.length <= shownLength + CONTEXT) return text;
  return `${isFirst ? "" : text.slice(0, CONTEXT)} […] ${isLast ? "" : text.slice(-CONTEXT)}`;
}
