/**
 * Adds a line above the footer. A view of a theme needs no runtime imports: it gets the rendering helpers and `next`, which
 * renders the replaced view.
 */
import type { Ui } from "lectern/contracts";
import type { Html } from "lectern/core";

/** What it is drawn from beside its data and the helpers: nothing, so that screens with it are kept. */
export const dependsOn = [];

export default ({ html, next, t, url }: Ui & { next(data: unknown): Html }) =>
  (data: unknown) =>
    html`<aside class="house-rules"><p>${t("Every runbook has an owner.")} <a href="${url("/shelves")}">${t("See the shelves")}</a></p></aside>${next(data)}`;
