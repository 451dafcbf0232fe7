import type { Overrides, PlacePart, Ui } from "lectern/contracts";
import { ApiError, type HtmlPart, html, type PluginContext } from "lectern/core";
import type { SettingsContext } from "./contract.ts";
import { pathOfItem } from "./item_paths.ts";

/** The kinds of items by the place that is beside their title, with the segment of their paths. */
const AT = {
  "book/toolbar": { kind: "book", segment: "books" },
  "shelf/toolbar": { kind: "bookshelf", segment: "shelves" },
  "chapter/toolbar": { kind: "chapter", segment: "chapters" },
  "page/toolbar": { kind: "page", segment: "pages" },
} as const;

interface Shown {
  readonly id: number;
  readonly owned_by: { readonly id: number } | null;
}

/**
 * Marks items with permissions of their own beside their title, as a link for those who may manage them. It is kept with the screens of
 * items, until the permissions of the item change; lists have no such mark, as their answers do not say it.
 */
export function markOwnPermissions(
  { app, web }: SettingsContext,
  { contribute, overrides }: Pick<PluginContext, "contribute"> & { readonly overrides: Overrides },
): void {
  const draw =
    (kind: string, segment: string) =>
    async (item: Shown, { ui }: { readonly ui: Ui }): Promise<HtmlPart> => {
      if (!(await overrides.areSet(kind, item.id))) return false;
      const about = ui.t("This item has permissions of its own.");
      const text = html`${ui.icon("lock")} ${ui.t("Own permissions")}`;
      // By its id, as a page does not say the address of its book.
      return mayManage(item, ui)
        ? html`<a class="badge note own-permissions" href="${ui.url(`/permissions/${segment}/${item.id}`)}" title="${about}">${text}</a>`
        : html`<span class="badge note own-permissions" title="${about}">${text}</span>`;
    };
  const dependsOn = [{ table: "entity_permissions", column: "item_id" }] as const;
  // A place has the type of its own data, of which all have an id and an owner.
  for (const [at, { kind, segment }] of Object.entries(AT))
    contribute("screen_part", { at, order: 10, permit: "user", dependsOn, draw: draw(kind, segment) } as PlacePart);
  web.screen(app.site, "/permissions/:segment/:id", "user", async (visit) => {
    const { segment = "", id = "" } = visit.params;
    const path = await pathOfItem(visit, segment, encodeURIComponent(id));
    if (path === undefined) throw new ApiError(404, visit.ui.t("Nothing was found here."));
    return visit.goTo(`${path}/permissions`);
  });
}

function mayManage({ owned_by }: Shown, ui: Ui): boolean {
  return ui.may("restrictions-manage-all") || (ui.may("restrictions-manage-own") && ui.isViewer(owned_by?.id));
}
