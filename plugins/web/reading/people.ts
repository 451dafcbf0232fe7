/**
 * The screen of a user: the name and picture, and of each kind the newest content that the user created, as far as the viewer sees it,
 * with how much there is of it. The address is shown to those who manage users alone.
 */
import { type Answers, bookPath, chapterPath, shelfPath, type Ui, type Visit } from "lectern/contracts";
import { type Html, html } from "lectern/core";
import type { ReadingContext } from "./contract.ts";

/** Items of each kind that are shown. */
const RECENT = 8;

/** A user, as everyone sees them. */
export type Person = Answers[`/api/people/${string}`];

/** Content of one kind that a user created. */
export interface Created {
  /** The name of the kind in searches. */
  readonly kind: string;
  readonly title: string;
  readonly icon: string;
  readonly newest: readonly { readonly name: string; readonly path: string; readonly created_at: string }[];
  readonly total: number;
}

/** Data of the screen. */
export interface PersonData {
  readonly person: Person;
  readonly created: readonly Created[];
  /** Undefined where the viewer does not manage users. */
  readonly email: string | undefined;
}

/** Mounts the screen. */
export function mountPeople({ app, web }: ReadingContext): void {
  const { parts } = web;
  const view = web.view("reading/person", ({ person, created, email }, ui) => {
    const { t } = ui;
    const edit = ui.isViewer(person.id)
      ? { path: "/my-account/profile", text: t("Edit your profile") }
      : email !== undefined && { path: `/settings/users/${person.id}`, text: t("Manage this user") };
    const some = created.filter(({ total }) => total > 0);
    return html`<h1>${parts.avatar(ui, { name: person.name, url: person.avatar_url, isLarge: true })} ${person.name}</h1>
<p class="quiet">${t("Member since")} ${ui.time(person.created_at)}${email !== undefined && html` · <a href="mailto:${encodeURIComponent(email)}">${email}</a>`}</p>
${edit && ui.serves(edit.path) && html`<p><a href="${ui.url(edit.path)}">${ui.icon("edit")} ${edit.text}</a></p>`}
${some.length === 0 ? html`<p class="empty">${t("No content that you can view.")}</p>` : html`<div class="comparison">${some.map((each) => list(person, each, ui))}</div>`}`;
  });
  web.screen(app.site, "/user/:slug", "reader", async (visit) => {
    // A route that only has names: the API of users is for administrators.
    const person = await visit.get(`/api/people/${encodeURIComponent(visit.params.slug ?? "")}`);
    const email = visit.ui.may("users-manage") ? (await visit.find(`/api/users/${person.id}`))?.email : undefined;
    const data = { person, email, created: await createdBy(visit, person.id) };
    return { title: person.name, body: view(data, visit.ui) };
  });
}

function list(person: Person, { kind, title, icon, newest, total }: Created, ui: Ui): Html {
  const all = `/search?type=${kind}&author=${encodeURIComponent(person.slug)}&sort=created`;
  return html`<section><h2>${ui.t(title)} <span class="quiet">(${total})</span></h2>
<ul class="recent">${newest.map(
    ({ name, path, created_at }) =>
      html`<li><a href="${ui.url(path)}">${ui.icon(icon)} ${name}</a> <small class="quiet">${ui.time(created_at)}</small></li>`,
  )}</ul>${total > newest.length && ui.serves("/search") && html`<p><a href="${ui.url(all)}">${ui.t("All :count", { count: total })}</a></p>`}</section>`;
}

async function createdBy(visit: Visit, id: number): Promise<Created[]> {
  const query = `sort=-created_at&count=${RECENT}&filter[created_by]=${id}` as const;
  const [pages, chapters, books, shelves] = await Promise.all([
    visit.get(`/api/pages?${query}`),
    visit.get(`/api/chapters?${query}`),
    visit.get(`/api/books?${query}`),
    visit.get(`/api/shelves?${query}`),
  ]);
  const byId = ({ id: item }: { readonly id: number }) => `/link/${item}`;
  return [
    { kind: "page", title: "Pages", icon: "page", ...pages, newest: shown(pages.data, byId) },
    {
      ...{ kind: "chapter", title: "Chapters", icon: "chapter", ...chapters },
      newest: shown(chapters.data, ({ book_slug, slug }) => chapterPath({ slug: book_slug }, { slug })),
    },
    { kind: "book", title: "Books", icon: "book", ...books, newest: shown(books.data, bookPath) },
    { kind: "bookshelf", title: "Shelves", icon: "shelf", ...shelves, newest: shown(shelves.data, shelfPath) },
  ];
}

/** Items as the screen lists them. */
function shown<Item extends { readonly name: string; readonly created_at: string }>(
  items: readonly Item[],
  pathOf: (item: Item) => string,
): Created["newest"] {
  return items.map((item) => ({ name: item.name, path: pathOf(item), created_at: item.created_at }));
}
