import { type Answers, bookPath, type Visit } from "lectern/contracts";
import { html } from "lectern/core";
import type { ListedBook, ListedPage } from "./api_types.ts";
import type { ReadingContext } from "./contract.ts";

/** Pages, and books, that are shown of a user. */
const RECENT = 8;

/** A user, as everyone sees them. */
export type Person = Answers[`/api/people/${string}`];

/** Data of the screen. */
export interface PersonData {
  readonly person: Person;
  readonly pages: readonly ListedPage[];
  readonly books: readonly ListedBook[];
}

/** Mounts the screen of a user: the name, and the newest content that the viewer may see. */
export function mountPeople({ app, web }: ReadingContext): void {
  const view = web.view("reading/person", ({ person, pages, books }, ui) => {
    const list = <T extends { readonly name: string }>(
      title: string,
      items: readonly T[],
      pathOf: (item: T) => string,
      icon: string,
    ) =>
      items.length > 0 &&
      html`<h2>${title}</h2><ul class="recent">${items.map((item) => html`<li><a href="${ui.url(pathOf(item))}">${ui.icon(icon)} ${item.name}</a></li>`)}</ul>`;
    return html`<h1>${person.name}</h1>
${list(ui.t("Books"), books, bookPath, "book")}${list(ui.t("Pages"), pages, ({ id }) => `/link/${id}`, "page")}
${pages.length + books.length === 0 && html`<p class="empty">${ui.t("No content that you can view.")}</p>`}`;
  });
  web.screen(app.site, "/user/:slug", "reader", async (visit) => {
    const person = await personOf(visit);
    const created = `sort=-created_at&count=${RECENT}&filter[created_by]=${person.id}`;
    const [pages, books] = await Promise.all([visit.get(`/api/pages?${created}`), visit.get(`/api/books?${created}`)]);
    return { title: person.name, body: view({ person, pages: pages.data, books: books.data }, visit.ui) };
  });
}

/** The user of the URL, from a route that only has names: the API of users is for administrators. */
async function personOf(visit: Visit): Promise<Person> {
  return visit.get(`/api/people/${encodeURIComponent(visit.params.slug ?? "")}`);
}
