/** The rules that sort a whole book: by name, or by when its entries were made or changed; once, or from now on. The API sorts. */
import type { Answers, Ui } from "lectern/contracts";
import { type Html, html } from "lectern/core";

/** How a book is sorted. */
export type SortKey = NonNullable<Answers[`/api/books/${number}/order/rule`]["rule"]>;

const TEXTS: Readonly<Record<SortKey, string>> = {
  name: "By name, from A to Z",
  "-name": "By name, from Z to A",
  created: "The oldest first",
  "-created": "The newest first",
  "-updated": "The last changed first",
};

/** What is said of a book that is kept sorted. */
export function keptText(kept: SortKey, { t }: Ui): string {
  return t("This book is kept sorted: :rule. Moving an entry changes its chapter alone.", { rule: t(TEXTS[kept]) });
}

/** The form that sorts a whole book at once. Without a field `by` it is no longer kept sorted. */
export function sortByForm(action: string, kept: SortKey | null, ui: Ui): Html {
  const { t } = ui;
  const notice =
    kept !== null &&
    html`<form method="post" action="${ui.url(action)}" class="notice note kept-rule"><span>${ui.icon("lock")} ${keptText(kept, ui)}</span> <button class="small secondary outline" name="act" value="end">${t("No longer keep it sorted")}</button></form>`;
  return html`${notice}<form method="post" action="${ui.url(action)}" class="filters sort-by"><label>${t("Sort the whole book")} <select name="by">${Object.entries(
    TEXTS,
  ).map(
    ([key, text]) => html`<option value="${key}"${key === kept && html` selected`}>${t(text)}</option>`,
  )}</select></label><label class="check"><input type="checkbox" name="keep" value="true"${kept !== null && html` checked`}> ${t("Keep it sorted, new pages too")}</label><button class="secondary">${t("Sort")}</button></form>`;
}
