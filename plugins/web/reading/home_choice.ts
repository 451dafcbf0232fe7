/**
 * The screens that choose what `/` shows: for oneself in the account, for everybody who has not chosen in the settings. A page or shelf is chosen
 * among one's favourites, so nobody types an id.
 */
import type { Answers, Visit } from "lectern/contracts";
import { type FormErrors, formErrors, html } from "lectern/core";
import type { ReadingContext } from "./contract.ts";

/** Data of the screens. */
export interface HomeChoiceData {
  /** Whether the choice is that of the instance. */
  readonly isForAll: boolean;
  /** The path of the form. */
  readonly path: string;
  /** The chosen value: "", a listing, or a kind and an id. */
  readonly value: string;
  readonly options: readonly (readonly [value: string, text: string])[];
  readonly formErrors: FormErrors;
}

type Home = Answers["/api/home"];

/** Pages and shelves that can be chosen; the API answers no more of a list at once. */
const MAX_OPTIONS = 100;

const SCREENS = [
  { path: "/my-account/home", api: "/api/home", permit: "user", isForAll: false },
  { path: "/settings/home", api: "/api/home/instance", permit: "settings-manage", isForAll: true },
] as const;

/** Mounts the screens. */
export function mountHomeChoice({ app, web }: ReadingContext): void {
  const { parts } = web;
  const view = web.view("reading/home_choice", ({ isForAll, path, value, options, formErrors: wrong }, ui) => {
    const { t } = ui;
    const field = parts.field(ui, {
      name: "shows",
      label: t("The home page shows"),
      type: "select",
      value,
      options,
      errors: Object.values(wrong.errors).flat(),
      help: t("Pages and shelves that you have marked with the star can be chosen here."),
    });
    const about = isForAll
      ? t("For visitors, and for everybody who has not chosen a home page. Whoever may not view it gets the overview.")
      : t("The overview stays in the menu of your account.");
    return html`<h1>${t("Home page")}</h1><p>${about}</p>
${parts.form(ui, { action: path, fields: field, submit: t("Save"), error: wrong.error, label: t("Home page") })}`;
  });
  for (const { path, api, permit, isForAll } of SCREENS) {
    const shown = async (visit: Visit, wrong = formErrors(undefined), typed?: string) => {
      const home = await visit.get("/api/home");
      const choice = isForAll ? home.instance : home.own;
      const value = typed ?? (choice ? valueIn(choice) : "");
      const options = await optionsFor(visit, home, { isForAll, value });
      const body = view({ isForAll, path, value, options, formErrors: wrong }, visit.ui);
      return { title: visit.ui.t("Home page"), body, status: wrong.status };
    };
    web.screen(app.site, path, permit, (visit) => shown(visit));
    web.form(app.site, path, permit, async (visit) => {
      const typed = visit.text("shows");
      const [shows = "", id] = typed.split(" ");
      const sent = await visit.send("PUT", api, id === undefined ? { shows } : { [`${shows}_id`]: id });
      return sent.ok ? visit.goTo(path, visit.ui.t("The home page is saved.")) : shown(visit, formErrors(sent), typed);
    });
  }
}

function valueIn({ shows, item_id }: NonNullable<Home["own"]>): string {
  return item_id === null ? shows : `${shows} ${item_id}`;
}

async function optionsFor(
  { get, ui }: Visit,
  home: Home,
  { isForAll, value }: Pick<HomeChoiceData, "isForAll" | "value">,
): Promise<HomeChoiceData["options"]> {
  const { t } = ui;
  const { data } = await get(`/api/favourites?count=${MAX_OPTIONS}`);
  const items = data.filter(({ type }) => type === "page" || type === "bookshelf");
  const named = home.item && `${home.item.type} ${home.item.id}` === value ? [home.item, ...items] : items;
  const options = new Map<string, string>([
    ["", isForAll ? t("Overview") : t("What is chosen for everybody")],
    ...(isForAll ? [] : ([["overview", t("Overview")]] as const)),
    ["books", t("All books")],
    ["bookshelves", t("All shelves")],
  ]);
  for (const { type, id, name, book } of named)
    options.set(`${type} ${id}`, book === null ? t("Shelf “:name”", { name }) : t("Page “:name”", { name }));
  // What is chosen and not seen any more keeps its place until another is chosen.
  if (!options.has(value)) options.set(value, t("Something that you cannot view"));
  return [...options];
}
