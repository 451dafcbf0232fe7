/**
 * The permissions of an item: a row for each role, and a fallback row for everyone else. A role without its own rules has those of the
 * fallback row, which may be inherited from the parent; so the screen does not show all effective permissions, and says so.
 */
import type { Answers, Item, Screen, Visit } from "lectern/contracts";
import { ApiError, type FormErrors, formErrors, type InputValue } from "lectern/core";
import type { SettingsContext } from "./contract.ts";
import { objectIn } from "./form_values.ts";
import { ACTIONS, type ItemPermissionsData, permissionsForm, type RoleRow } from "./item_permissions_form.ts";
import { MAX_OPTIONS } from "./listings.ts";

type NamedItem = Pick<Item<Place["kind"]>, "id" | "name" | "slug">;

interface Place {
  readonly kind: "book" | "bookshelf" | "chapter" | "page";
  readonly item: NamedItem;
  /** The path of the item's screen. */
  readonly path: string;
}

type Permissions = Answers[`/api/content-permissions/${string}/${number}`];

/** Mounts the screens of all kinds of items. */
export function mountItemPermissions({ app, web }: SettingsContext): void {
  const view = web.view("settings/item_permissions", (data, ui) => permissionsForm(web, data, ui));
  const shown = async (visit: Visit, place: Place, wrong: FormErrors = formErrors(undefined)): Promise<Screen> => {
    const present = await visit.get(apiOf(place));
    const roles = await visit.get("/api/content-permissions/roles");
    const people = await visit.find(`/api/users?count=${MAX_OPTIONS}&sort=name`);
    const { ui } = visit;
    const title = ui.t("Permissions of “:name”", { name: place.item.name });
    const data: ItemPermissionsData = {
      title,
      ...place,
      name: place.item.name,
      owner: present.owner,
      people: people?.data,
      rows: roles.data.map((role) => rowOf(role, present)),
      fallback: present.fallback_permissions.inheriting ? undefined : present.fallback_permissions,
      formErrors: wrong,
    };
    const menu = place.kind === "bookshelf" ? "/shelves" : "/books";
    const crumbs = [{ text: place.item.name, path: place.path }, { text: ui.t("Permissions") }];
    return { title, body: view(data, ui), status: wrong.status, menu, crumbs };
  };
  for (const { path, find } of PLACES) {
    web.screen(app.site, `${path}/permissions`, "user", async (visit) => shown(visit, await find(visit)));
    web.form(app.site, `${path}/permissions`, "user", async (visit) => {
      const place = await find(visit);
      const sent = await visit.send("PUT", apiOf(place), inputOf(visit));
      if (!sent.ok) return shown(visit, place, withGeneralError(formErrors(sent)));
      return visit.goTo(`${place.path}/permissions`, visit.ui.t("The permissions are saved."));
    });
  }
}

function apiOf({ kind, item }: Place) {
  return `/api/content-permissions/${kind}/${item.id}` as const;
}

function rowOf({ id, display_name }: { id: number; display_name: string }, { role_permissions }: Permissions): RoleRow {
  return { id, name: display_name, allowed: role_permissions.find(({ role_id }) => role_id === id) };
}

/** Combines the errors of rows, which have no fields to show them, into a general one. */
function withGeneralError({ errors, error, status }: FormErrors): FormErrors {
  return { errors: {}, error: error ?? Object.values(errors).flat().join(" "), status };
}

function inputOf(visit: Visit) {
  const rules = objectIn(visit.input.rules);
  const allowed = (row: Readonly<Record<string, InputValue | undefined>>) =>
    Object.fromEntries(ACTIONS.map((action) => [action, row[action] === "true"]));
  const own = Object.entries(rules).flatMap(([key, value]) => {
    const row = objectIn(value);
    const id = /^role(\d{1,9})$/.exec(key)?.[1];
    return id !== undefined && row.mode === "own" ? [{ role_id: Number(id), ...allowed(row) }] : [];
  });
  const others = objectIn(rules.others);
  const owner = visit.text("owner_id");
  return {
    ...(owner === "" ? {} : { owner_id: owner }),
    role_permissions: own,
    fallback_permissions: others.mode === "own" ? { inheriting: false, ...allowed(others) } : { inheriting: true },
  };
}

async function bySlug(visit: Visit, kind: Place["kind"], slug = "", within?: number): Promise<NamedItem> {
  const item = await visit.findItem(kind, within === undefined ? { slug } : { slug, within });
  if (!item) throw new ApiError(404, visit.ui.t("Nothing was found here."));
  return item;
}

async function inBook(visit: Visit, kind: "chapter" | "page"): Promise<Place> {
  const book = await bySlug(visit, "book", visit.params.book);
  const item = await bySlug(visit, kind, visit.params[kind], book.id);
  return { kind, item, path: `/books/${encodeURIComponent(book.slug)}/${kind}/${encodeURIComponent(item.slug)}` };
}

const PLACES: readonly { readonly path: string; readonly find: (visit: Visit) => Promise<Place> }[] = [
  {
    path: "/books/:book",
    async find(visit) {
      const item = await bySlug(visit, "book", visit.params.book);
      return { kind: "book", item, path: `/books/${encodeURIComponent(item.slug)}` };
    },
  },
  {
    path: "/shelves/:shelf",
    async find(visit) {
      const item = await bySlug(visit, "bookshelf", visit.params.shelf);
      return { kind: "bookshelf", item, path: `/shelves/${encodeURIComponent(item.slug)}` };
    },
  },
  { path: "/books/:book/chapter/:chapter", find: (visit) => inBook(visit, "chapter") },
  { path: "/books/:book/page/:page", find: (visit) => inBook(visit, "page") },
];
