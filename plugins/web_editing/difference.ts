import { diffWordsWithSpace } from "diff";
import { type Html, html, type Ui } from "lectern/core";

/** Longer texts are not compared word by word: that takes time with the square of their length. */
const MAX_LENGTH = 200_000;
/** Characters of unchanged text shown around what was changed. */
const AROUND = 160;

/** What was changed from one text to another, word by word; long stretches that are the same are left out. */
export function difference(before: string, after: string, ui: Ui): Html {
  if (before.length + after.length > MAX_LENGTH)
    return html`<p>${ui.t("The texts are too long to be compared here.")}</p>`;
  const parts = diffWordsWithSpace(before, after);
  return html`<div class="difference">${parts.map(({ value, added, removed }, index) => {
    // Words for those who see no marks; colours are not all there is.
    if (added) return html`<ins><span class="unseen">${ui.t("Added:")} </span>${value}</ins>`;
    if (removed) return html`<del><span class="unseen">${ui.t("Removed:")} </span>${value}</del>`;
    return html`<span>${shortened(value, index === 0, index === parts.length - 1)}</span>`;
  })}</div>`;
}

function shortened(text: string, isFirst: boolean, isLast: boolean): string {
  const room = (isFirst ? 0 : AROUND) + (isLast ? 0 : AROUND);
  if (text.length <= room + AROUND) return text;
  return `${isFirst ? "" : text.slice(0, AROUND)} […] ${isLast ? "" : text.slice(-AROUND)}`;
}
