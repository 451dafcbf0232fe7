import type { Ui } from "lectern/contracts";
import { type Html, html } from "lectern/core";

/** A form that searches within a book or on a shelf; nothing where there is no search. */
export function searchWithin(kind: "book" | "shelf", id: number, ui: Ui): Html {
  if (!ui.serves("/api/search")) return html``;
  const label = kind === "book" ? ui.t("Search this book") : ui.t("Search this shelf");
  return html`<form class="search-within" role="search" aria-label="${label}" method="get" action="${ui.url("/search")}"><input type="hidden" name="${kind}" value="${id}"><input type="search" name="query" aria-label="${label}" placeholder="${label}" autocomplete="off"></form>`;
}
