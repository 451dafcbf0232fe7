import { bookPath, type Visit } from "lectern/contracts";
import { html } from "lectern/core";
import type { Book, Item, Listing } from "./api_types.ts";
import type { ReadingContext } from "./contract.ts";

/** Pages, and books, that are shown of a user. */
const RECENT = 8;

/** A user, as everyone sees them. */
export interface Person {
  readonly id: number;
  readonly name: string;
  readonly created_at: string;
}

/** Data of the screen. */
export interface PersonData {
  readonly person: Person;
  readonly pages: readonly Item[];
  readonly books: readonly Item[];
}

/** Mounts the screen of a user: the name, and the newest content that the viewer may see. */
export function mountPeople({ app, web }: ReadingContext): void {
  const view = web.view("reading/person", ({ person, pages, books }, ui) => {
    const list = (title: string, items: readonly Item[], pathOf: (item: Item) => string, icon: string) =>
      items.length > 0 &&
      html`<h2>${title}</h2><ul class="recent">${items.map((item) => html`<li><a href="${ui.url(pathOf(item))}">${ui.icon(icon)} ${item.name}</a></li>`)}</ul>`;
    return html`<h1>${person.name}</h1>
${list(ui.t("Books"), books, bookPath, "book")}${list(ui.t("Pages"), pages, ({ id }) => `/link/${id}`, "page")}
${pages.length + books.length === 0 && html`<p class="empty">${ui.t("No content that you can view.")}</p>`}`;
  });
  web.screen(app.site, "/user/:slug", "reader", async (visit) => {
    const person = await personOf(visit);
    const createdContent = (segment: string) =>
      visit.get<Listing<Book>>(`/api/${segment}?sort=-created_at&count=${RECENT}&filter[created_by]=${person.id}`);
    const [pages, books] = await Promise.all([createdContent("pages"), createdContent("books")]);
    return { title: person.name, body: view({ person, pages: pages.data, books: books.data }, visit.ui) };
  });
}

/** The user of the URL, from a route that only has names: the API of users is for administrators. */
async function personOf(visit: Visit): Promise<Person> {
  return visit.get<Person>(`/api/people/${encodeURIComponent(visit.params.slug ?? "")}`);
}
