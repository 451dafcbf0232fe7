/** Orders of a whole book that follow from its entries: by name, or by when they were made or changed. Pages are sorted within their chapter. */
import type { Item, Ui } from "lectern/contracts";
import { type Html, html } from "lectern/core";
import type { Entry } from "./order.ts";

type Contents = Item<"book">["contents"];
type Dated = Contents[number] | NonNullable<Contents[number]["pages"]>[number];

/** How a book is sorted. */
export type SortKey = keyof typeof COMPARISONS;

/** Names with numbers in them are in the order of the numbers. */
const NAMES = new Intl.Collator("en", { numeric: true, sensitivity: "base" });
const byName = (a: Dated, b: Dated) => NAMES.compare(a.name, b.name) || a.id - b.id;
/** Times of answers are texts of one form, which sort as times do. */
const byTime = (field: "created_at" | "updated_at") => (a: Dated, b: Dated) =>
  (a[field] ?? "") < (b[field] ?? "") ? -1 : (a[field] ?? "") > (b[field] ?? "") ? 1 : a.id - b.id;

const COMPARISONS = {
  name: byName,
  "-name": (a: Dated, b: Dated) => byName(b, a),
  created: byTime("created_at"),
  "-created": (a: Dated, b: Dated) => byTime("created_at")(b, a),
  "-updated": (a: Dated, b: Dated) => byTime("updated_at")(b, a),
};

/** The key of a form; undefined for any other text. */
export function sortKeyIn(text: string): SortKey | undefined {
  return Object.hasOwn(COMPARISONS, text) ? (text as SortKey) : undefined;
}

/** The entries of a book's contents in the order of a key, without drafts and entries of other plugins, whose order is their own. */
export function sortedBy(contents: Contents, key: SortKey): Entry[] {
  const own = <E extends Dated>(entries: readonly E[]) =>
    entries
      .filter(({ draft, type = "page" }) => !draft && (type === "page" || type === "chapter"))
      .toSorted(COMPARISONS[key]);
  return own(contents).map(({ type, id, pages }) => ({
    ...{ type, id },
    ...(type === "chapter" && { pages: own(pages ?? []).map((page) => ({ type: "page", id: page.id })) }),
  }));
}

/** The form that sorts a whole book at once. */
export function sortByForm(action: string, ui: Ui): Html {
  const options: readonly (readonly [SortKey, string])[] = [
    ["name", ui.t("By name, from A to Z")],
    ["-name", ui.t("By name, from Z to A")],
    ["created", ui.t("The oldest first")],
    ["-created", ui.t("The newest first")],
    ["-updated", ui.t("The last changed first")],
  ];
  return html`<form method="post" action="${ui.url(action)}" class="filters sort-by"><label>${ui.t("Sort the whole book")} <select name="by">${options.map(
    ([key, text]) => html`<option value="${key}">${text}</option>`,
  )}</select></label><button class="secondary">${ui.t("Sort")}</button></form>`;
}
