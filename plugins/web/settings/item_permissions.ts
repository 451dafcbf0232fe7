/**
 * The permissions of an item: a row for each role, and a fallback row for everyone else. A role without its own rules has those of the
 * fallback row, which may be inherited from the parent; so the screen does not show all effective permissions, and says so. What a row
 * has checked without being chosen is refused, never dropped in silence. The permissions of a shelf are copied to its books from here.
 */
import type { Answers, Item, Screen, Ui, Visit } from "lectern/contracts";
import { ApiError, type FormErrors, formErrors, type InputObject } from "lectern/core";
import type { SettingsContext } from "./contract.ts";
import { objectIn } from "./form_values.ts";
import {
  ACTIONS,
  type Allowed,
  actionsOf,
  allowedWords,
  type ItemPermissionsData,
  permissionsForm,
  type RoleRow,
} from "./item_permissions_form.ts";
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
export function mountItemPermissions(context: SettingsContext): void {
  const { app, web, permissionsScript } = context;
  mountCopyToBooks(context);
  const view = web.view("settings/item_permissions", (data, ui) => permissionsForm(web, data, ui));
  const shown = async (visit: Visit, place: Place, wrong: FormErrors = formErrors(undefined)): Promise<Screen> => {
    const present = await visit.get(apiOf(place));
    const isAsStored = wrong.status === 200 || wrong.status === STALE;
    const roles = await visit.get("/api/content-permissions/roles");
    const people = await visit.find(`/api/users?count=${MAX_OPTIONS}&sort=name`);
    const { ui } = visit;
    // A rejected form is shown as it was sent, but for one that others have overtaken.
    const chosen = isAsStored ? undefined : chosenIn(visit);
    const fallback = present.fallback_permissions.inheriting ? undefined : present.fallback_permissions;
    const title = ui.t("Permissions of “:name”", { name: place.item.name });
    const data: ItemPermissionsData = {
      title,
      ...place,
      name: place.item.name,
      owner: present.owner,
      ownerId: isAsStored ? String(present.owner?.id ?? "") : visit.text("owner_id"),
      people: people?.data,
      rows: roles.data.map((role) => rowOf(role, present, chosen)),
      fallback: { allowed: chosen ? chosen.get("others") : fallback, stored: fallback },
      formErrors: wrong,
    };
    const menu = place.kind === "bookshelf" ? "/shelves" : "/books";
    const crumbs = [{ text: place.item.name, path: place.path }, { text: ui.t("Permissions") }];
    return { title, body: view(data, ui), status: wrong.status, menu, crumbs, scripts: [permissionsScript] };
  };
  for (const { path, find } of PLACES) {
    web.screen(app.site, `${path}/permissions`, "user", async (visit) => shown(visit, await find(visit)));
    web.form(app.site, `${path}/permissions`, "user", async (visit) => {
      const place = await find(visit);
      const ignored = await ignoredRows(visit);
      if (ignored.length > 0)
        return shown(visit, place, { errors: {}, error: ignoredText(ignored, visit.ui), status: 422 });
      if (isOvertaken(visit, place, await visit.get(apiOf(place))))
        return shown(visit, place, { errors: {}, error: visit.ui.t(OVERTAKEN), status: STALE });
      const sent = await visit.send("PUT", apiOf(place), inputOf(visit));
      if (!sent.ok) return shown(visit, place, withGeneralError(formErrors(sent)));
      // What is copied is what is stored, so the form is saved before the question.
      if (place.kind === "bookshelf" && visit.text("then") === "copy")
        return visit.goTo(`${place.path}/permissions/copy`);
      return visit.goTo(`${place.path}/permissions`, visit.ui.t("The permissions are saved."));
    });
  }
}

/** The status of a form that shows other rules than those that are stored now. */
const STALE = 409;
const OVERTAKEN =
  "Someone else changed these permissions in the meantime. Nothing was saved: these are the rules as they are now.";

/** Whether the owner or the rules that the form was drawn with are no longer the stored ones, such as those of a role that has got some since. */
function isOvertaken(visit: Visit, { kind }: Place, present: Permissions): boolean {
  const { owner, role_permissions, fallback_permissions } = present;
  const ownerThen = visit.input.owner_stored;
  if (typeof ownerThen === "string" && ownerThen !== String(owner?.id ?? "")) return true;
  const wordsNow = new Map<string, string>([
    ...role_permissions.map((role) => [`role${role.role_id}`, allowedWords(role, actionsOf(kind))] as const),
    ["others", allowedWords(fallback_permissions, actionsOf(kind))] as const,
  ]);
  return rowsIn(visit).some(({ key, stored }) => typeof stored === "string" && stored !== (wordsNow.get(key) ?? ""));
}

function apiOf({ kind, item }: Place) {
  return `/api/content-permissions/${kind}/${item.id}` as const;
}

function rowOf(
  { id, display_name }: { id: number; display_name: string },
  { role_permissions }: Permissions,
  chosen: Chosen | undefined,
): RoleRow {
  const stored = role_permissions.find(({ role_id }) => role_id === id);
  return { id, name: display_name, allowed: chosen ? chosen.get(`role${id}`) : stored, stored };
}

/** Combines the errors of rows, which have no fields to show them, into a general one. */
function withGeneralError({ errors, error, status }: FormErrors): FormErrors {
  return { errors: {}, error: error ?? Object.values(errors).flat().join(" "), status };
}

/** The rules that are chosen in a form, by row: "role3", and "others". */
type Chosen = ReadonlyMap<string, Allowed & InputObject>;

const ROW = /^(?:role(\d{1,9})|others)$/;

function rowsIn(visit: Visit) {
  return Object.entries(objectIn(visit.input.rules)).flatMap(([key, value]) => {
    const row = objectIn(value);
    const [view, create, update, remove] = ACTIONS.map((action) => row[action] === "true");
    const allowed = { view: view === true, create: create === true, update: update === true, delete: remove === true };
    return ROW.test(key) ? [{ key, allowed, isOwn: row.mode === "own", stored: row.stored }] : [];
  });
}

function chosenIn(visit: Visit): Chosen {
  return new Map(rowsIn(visit).flatMap(({ key, allowed, isOwn }) => (isOwn ? [[key, allowed] as const] : [])));
}

function inputOf(visit: Visit) {
  const chosen = chosenIn(visit);
  const others = chosen.get("others");
  const owner = visit.text("owner_id");
  return {
    ...(owner === "" ? {} : { owner_id: owner }),
    role_permissions: [...chosen].flatMap(([key, allowed]) => {
      const id = ROW.exec(key)?.[1];
      return id === undefined ? [] : [{ role_id: Number(id), ...allowed }];
    }),
    fallback_permissions: others ? { inheriting: false, ...others } : { inheriting: true },
  };
}

/** Names of the rows with other boxes than the stored ones though their own rules are not chosen. */
async function ignoredRows(visit: Visit): Promise<string[]> {
  const ignored = rowsIn(visit)
    .filter(({ allowed, isOwn, stored }) => !isOwn && !["", stored].includes(allowedWords(allowed)))
    .map(({ key }) => key);
  if (ignored.length === 0) return [];
  const { data } = await visit.get("/api/content-permissions/roles");
  const names = data.filter(({ id }) => ignored.includes(`role${id}`)).map(({ display_name }) => display_name);
  return ignored.includes("others") ? [...names, visit.ui.t("Everyone else")] : names;
}

function ignoredText(names: readonly string[], { t }: Ui): string {
  const text =
    "Nothing was saved: the boxes of :names have no effect without “Only selected permissions”. They are cleared now.";
  return t(text, { names: names.join(", ") });
}

/** Mounts the confirmation that copies the permissions of a shelf to its books. */
function mountCopyToBooks({ app, web }: SettingsContext): void {
  const at = "/shelves/:shelf/permissions/copy";
  web.screen(app.site, at, "user", async (visit) => {
    const { name, slug } = await bySlug(visit, "bookshelf", visit.params.shelf);
    const { t } = visit.ui;
    const question = t("Copy the permissions of “:name” to its books?", { name });
    const back = `/shelves/${encodeURIComponent(slug)}/permissions`;
    const detail = t(
      "The books lose the permissions that they have now. Books whose permissions you may not manage stay as they are.",
    );
    const body = web.parts.confirm(visit.ui, { question, detail, action: `${back}/copy`, submit: t("Copy"), back });
    return { title: question, body, menu: "/shelves" };
  });
  web.form(app.site, at, "user", async (visit) => {
    const { id, slug } = await bySlug(visit, "bookshelf", visit.params.shelf);
    const { t } = visit.ui;
    const back = `/shelves/${encodeURIComponent(slug)}/permissions`;
    const sent = await visit.send("POST", `/api/content-permissions/bookshelf/${id}/copy-to-books`);
    if (!sent.ok) return visit.goTo(back, sent.message);
    const { copied, skipped } = sent.body;
    const said = t("Books that got the permissions: :count.", { count: copied });
    return visit.goTo(back, skipped === 0 ? said : `${said} ${t("Left as they are: :count.", { count: skipped })}`);
  });
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
