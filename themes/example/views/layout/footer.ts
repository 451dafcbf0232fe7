/**
 * The runtime's own foot with a line of ours above it. A view of a theme needs no imports: it is handed what it draws with,
 * and `next`, which draws what would have been there without it.
 */
import type { Ui } from "lectern/contracts";
import type { Html } from "lectern/core";

export default ({ html, next, t, url }: Ui & { next(data: unknown): Html }) =>
  (data: unknown) =>
    html`<aside class="house-rules"><p>${t("Every runbook has an owner.")} <a href="${url("/shelves")}">${t("See the shelves")}</a></p></aside>${next(data)}`;
