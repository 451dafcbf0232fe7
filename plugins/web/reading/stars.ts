import type { HomeKind, PlacePart, Visit } from "lectern/contracts";
import { ApiError, type HtmlPart, html, type PluginContext } from "lectern/core";
import type { ReadingContext } from "./contract.ts";

const KINDS = {
  "page/toolbar": "page",
  "chapter/toolbar": "chapter",
  "book/toolbar": "book",
  "shelf/toolbar": "bookshelf",
} as const;

/**
 * The star of every item: a button that marks it as a favourite or takes the mark back. It is drawn for each request within screens that
 * are kept for many readers, so it says nothing of what it depends on, and asks a set that is cached by user.
 */
export function mountStars(
  { app, web }: ReadingContext,
  { contracts, contribute }: Pick<PluginContext<never, never, never, "favourites">, "contracts" | "contribute">,
): void {
  const { favourites } = contracts;
  if (!favourites) return;
  const draw = (kind: HomeKind) => {
    return async ({ id }: { readonly id: number }, { request, ui }: Visit): Promise<HtmlPart> => {
      const isMarked = await favourites.has(ui.viewer, kind, id);
      const { pathname } = new URL(request.url);
      return html`<form class="inline" method="post" action="${ui.url(`/favourites/${kind}/${id}`)}"><input type="hidden" name="back" value="${pathname}"><button class="small secondary outline star" name="mark" value="${isMarked ? "" : "1"}" aria-pressed="${isMarked ? "true" : "false"}">${ui.icon("star")} <span>${ui.t("Favourite")}</span></button></form>`;
    };
  };
  // A place has the type of its own data, of which all have an id.
  for (const [at, kind] of Object.entries(KINDS) as [keyof typeof KINDS, HomeKind][])
    contribute("screen_part", { at, permit: "user", order: 60, draw: draw(kind) } as PlacePart);
  web.form(app.site, "/favourites/:kind/:id", "user", async (visit) => {
    const { kind = "", id = "" } = visit.params;
    const method = visit.text("mark") === "" ? "DELETE" : "PUT";
    const path = `/api/favourites/${encodeURIComponent(kind)}/${encodeURIComponent(id)}`;
    const sent = await visit.send(method, path);
    if (!sent.ok) throw new ApiError(sent.status, sent.errors.id?.[0] ?? sent.message);
    return visit.goTo(visit.text("back"));
  });
}
