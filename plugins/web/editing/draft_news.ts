/** What others do with a page while it is edited: in the answer of each autosave, and asked for while nothing is typed. */
import type { Visit, Web } from "lectern/contracts";
import type { SiteApp } from "lectern/core";
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
