/** Parts of sortable lists: the buttons of an entry, and the texts of scripts. */
import type { Ui } from "lectern/contracts";
import { type Html, html } from "lectern/core";

/** A move that a button offers; "over" takes the entry into the next list, "off" out of the only one. */
type ButtonStep = "up" | "down" | "into" | "out" | "over" | "off";

const ICONS = { up: "up", down: "down", into: "into", out: "out", over: "move", off: "minus" } as const;

interface OrderedEntry {
  readonly field: string;
  readonly word: string;
  readonly name: string;
  readonly steps: readonly ButtonStep[];
  /** The name of the list that "over" leads to. */
  readonly next?: string | undefined;
}

/** The buttons of an entry. Each sends `field` with its step and the word of the entry. */
export function orderButtons({ field, word, name, steps, next = "" }: OrderedEntry, ui: Ui): Html {
  const labels: Record<ButtonStep, string> = {
    up: ui.t("Move “:name” up", { name }),
    down: ui.t("Move “:name” down", { name }),
    into: ui.t("Move “:name” into the nearest chapter", { name }),
    out: ui.t("Move “:name” out of its chapter", { name }),
    over: ui.t("Move “:name” to “:book”", { name, book: next }),
    off: ui.t("Remove “:name” from the shelf", { name }),
  };
  return html`<span class="order-buttons">${steps.map(
    (step) =>
      html`<button class="small secondary outline" name="${field}" value="${step} ${word}" data-order-step="${step}" aria-label="${labels[step]}" title="${labels[step]}">${ui.icon(ICONS[step])}</button>`,
  )}</span>`;
}

/** Texts that scripts announce, as attributes of the element around the lists. */
export function orderTexts(ui: Ui): Html {
  return html` data-said="${ui.t("“:name” is now at position :place of :count.")}" data-said-in="${ui.t("“:name” is now at position :place of :count in “:chapter”.")}"`;
}
