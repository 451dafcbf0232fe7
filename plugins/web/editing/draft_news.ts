/** What others do with a page while it is edited: in the answer of each autosave, and asked for while nothing is typed. */
import { pagePath, type Visit, type Web } from "lectern/contracts";
import { idOf as idOfApi, localeTag, type SiteApp } from "lectern/core";
import { idOf } from "../_paths/id_of.ts";
import type { Drafts } from "./editor.ts";

/** What others have done since the base of a draft, as scripts get it. */
export interface DraftNews {
  readonly others: readonly {
    readonly name: string;
    readonly updated_at: string;
    /** Whether they have saved the page since then. */
    readonly saved: boolean;
  }[];
  /** The page as it was saved since then. */
  readonly newer: NewerPage | null;
}

/** A page that was saved since the base of a draft. */
export interface NewerPage {
  readonly revision: number;
  /** The name of who saved it. */
  readonly by: string;
  /** Whether the user did so in another window. */
  readonly own: boolean;
  readonly at: string;
}

/** Mounts the request for what others do. */
export function mountNews(app: { readonly site: SiteApp }, web: Web): void {
  web.screen(app.site, "/editor/draft/:kind/:id", "user", async (visit) => {
    const base = encodeURIComponent(String(visit.query.base_revision ?? ""));
    const kind = encodeURIComponent(visit.params.kind ?? "");
    return Response.json(newsOf(visit, await visit.get(`/api/drafts/${kind}/${idOf(visit)}?base_revision=${base}`)));
  });
}

/** Mounts the address of what others have changed in a page: the comparison of revisions, or the page where these are not shown. */
export function mountChanges(app: { readonly site: SiteApp }, web: Web): void {
  web.screen(app.site, "/editor/changes/:id", "user", async (visit) => {
    const page = await visit.item("page", { id: idOfApi(visit.params.id ?? "", "Page") });
    const path = pagePath(await visit.item("book_outline", { id: page.book_id }), page);
    if (!visit.ui.may("revision-view-all")) return visit.goTo(path);
    const at = async (name: "since" | "until") => {
      const number = encodeURIComponent(String(visit.query[name] ?? ""));
      const query = `count=1&sort=-number${number === "" ? "" : `&filter[number:lte]=${number}`}`;
      const { data } = await visit.get(`/api/pages/${page.id}/revisions?${query}`);
      return data[0]?.id;
    };
    const [from, to] = [await at("since"), await at("until")];
    if (from === undefined || to === undefined) return visit.goTo(`${path}/revisions`);
    return visit.goTo(`${path}/compare-revisions?from=${from}&to=${to}`);
  });
}

/** The path of what was changed in a page until a revision, by default now, and since another one, which ends the path. */
export function changesPath(pageId: number, since: number | "" | undefined, until?: number): string {
  return `/editor/changes/${pageId}?${until === undefined ? "" : `until=${until}&`}since=${since ?? 0}`;
}

/** The names of those who have saved since the base, in the language of the user; "" where nobody but the user has. */
export function namesOf({ ui }: Visit, { others }: DraftNews): string {
  return new Intl.ListFormat(localeTag(ui.language)).format(
    others.filter(({ saved }) => saved).map(({ name }) => name),
  );
}

/** The news in an answer of the API. */
export function newsOf({ ui, viewer }: Visit, { others, newer }: Pick<Drafts, "others" | "newer">): DraftNews {
  const nameOf = (user: { readonly name: string } | null) => user?.name ?? ui.t("Unknown user");
  return {
    others: others.map(({ user, updated_at, saved }) => ({ name: nameOf(user), updated_at, saved })),
    newer: newer && {
      revision: newer.revision,
      by: nameOf(newer.by),
      own: newer.by?.id === viewer.id,
      at: newer.at,
    },
  };
}
