/**
 * What others have done with a page since a draft was begun: who has an unsaved draft of it, who has saved it, and the revision
 * that it has by now. Of a draft others learn the name of its author and the time only.
 */
import type { UserRef } from "lectern/contracts";
import { type RawBuilder, sql, type Viewer } from "lectern/core";
import { flattened, prepared, refs } from "lectern/db";
import type { DraftNews, PageDraftsContext } from "./contract.ts";
import type { DraftItem } from "./queries.ts";

/** How long an author counts as working on a page after a save of the draft, in minutes. */
const ACTIVE_MINUTES = 60;
/** The most users that are listed. */
const MAX_OTHERS = 20;

const WRITER = flattened(refs("page_drafts.user_id"));
const SAVER = flattened(refs("page_revisions.created_by"));
const LAST = flattened(refs("pages.updated_by"));

interface NewsParameters {
  readonly pageId: number;
  readonly userId: number;
  readonly user: RawBuilder<UserRef | null>;
}

const writers = prepared("page_drafts.otherAuthors", (db, p: NewsParameters) =>
  db
    .selectFrom("page_drafts")
    .select(["user_id as id", p.user.as("user"), "updated_at"])
    .where("kind", "=", sql.lit("page"))
    .where("item_id", "=", p.pageId)
    .where("user_id", "<>", p.userId)
    .where("updated_at", ">", sql<string>`now() - ${sql.lit(ACTIVE_MINUTES)} * interval '1 minute'`)
    .orderBy("updated_at", "desc")
    .limit(sql.lit(MAX_OTHERS)),
);

const savers = prepared("page_drafts.saversSince", (db, p: NewsParameters & { readonly base: number }) =>
  db
    .selectFrom("page_revisions")
    .select(["created_by as id", p.user.as("user"), "created_at as updated_at"])
    .where("page_id", "=", p.pageId)
    .where("number", ">", p.base)
    .where("created_by", "is distinct from", p.userId)
    .orderBy("number", "desc")
    .limit(sql.lit(MAX_OTHERS)),
);

const newer = prepared("page_drafts.newerPage", (db, p: Omit<NewsParameters, "userId"> & { readonly base: number }) =>
  db
    .selectFrom("pages")
    .select(["revision_count as revision", p.user.as("by"), "updated_at as at"])
    .where("id", "=", p.pageId)
    .where("revision_count", ">", p.base),
);

/** What others have done with the page of a draft since its base, null where that is not known; nothing for new pages. */
export async function newsFor(
  { contracts: { users }, db }: PageDraftsContext,
  viewer: Viewer,
  { kind, item_id: pageId, revision_count }: DraftItem,
  base: number | null,
): Promise<DraftNews> {
  if (kind !== "page") return { others: [], newer: null };
  const who = { pageId, userId: viewer.id };
  const writing = await writers.execute(db, { ...who, user: users.ref(WRITER) });
  if (base === null || revision_count === null || revision_count <= base)
    return { others: writing.map(({ id, ...other }) => ({ ...other, saved: false })), newer: null };
  const saved = await savers.execute(db, { ...who, base, user: users.ref(SAVER) });
  const found = await newer.executeTakeFirst(db, { pageId, base, user: users.ref(LAST) });
  const others = new Map<number | null, DraftNews["others"][number]>();
  // The last save of each, and those who only write after them.
  for (const { id, user, updated_at } of saved) if (!others.has(id)) others.set(id, { user, updated_at, saved: true });
  for (const { id, user, updated_at } of writing) {
    const known = others.get(id);
    others.set(id, { user, updated_at, saved: known?.saved ?? false });
  }
  return { others: [...others.values()].slice(0, MAX_OTHERS), newer: found ?? null };
}
