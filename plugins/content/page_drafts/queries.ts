/**
 * Reads of drafts. Every read is limited to drafts of the viewer, but for the authors who work on the same page, of whom
 * others learn the name and the time only. A draft is identified by its item and a slot, or by the draft page of a new
 * page.
 */
import type { Owned } from "lectern/contracts";
import { idOf, notFound, type Static, sql, type Viewer } from "lectern/core";
import { rows } from "lectern/db";
import type { DraftKey, draftSchema, draftsSchema, PageDraftsContext } from "./contract.ts";

type Draft = Static<typeof draftSchema>;
type Drafts = Static<typeof draftsSchema>;

const KINDS = {
  page: { table: "pages", noun: "Page", permission: "page-update" },
  chapter: { table: "chapters", noun: "Chapter", permission: "page-create" },
  book: { table: "books", noun: "Book", permission: "page-create" },
} as const;

/** The most drafts of new pages in one place that are listed. */
const MAX_LISTED = 20;
/** How long an author counts as working on a page after a save of the draft, in minutes. */
const ACTIVE_MINUTES = 60;

/** An item that drafts are for. */
export type DraftItem = Pick<DraftKey, "kind" | "item_id">;

/** Which of the viewer's drafts a request reads: by slot, or by draft page where that is not null. */
export interface DraftChoice {
  readonly slot: string;
  readonly pageId: number | null;
}

/** `page_id` is null where the draft page was published or deleted. */
const DRAFT_COLUMNS = sql`slot, name, html, markdown, tags, base_revision,
  (select pages.id from pages where pages.id = page_drafts.page_id and pages.draft and pages.deleted_at is null) as page_id,
  updated_at`;

const KEY_COLUMNS = sql`user_id, kind, item_id, slot`;

/** The item that a path names. Throws the 404 or 403 that writing to the item would throw. */
export async function findItem(
  { contracts, db, visible }: PageDraftsContext,
  viewer: Viewer,
  params: { readonly kind: string; readonly id: string },
): Promise<DraftItem> {
  if (!Object.hasOwn(KINDS, params.kind)) throw notFound("Draft");
  const kind = params.kind as keyof typeof KINDS;
  const { table, noun, permission } = KINDS[kind];
  const id = idOf(params.id, noun);
  const [item] = await rows<Owned>(
    db,
    sql`select id, owned_by, acl_id from ${sql.table(table)}
      where id = ${id}::integer and ${visible.where(table, viewer)}`,
  );
  if (!item) throw notFound(noun);
  await contracts.access.need(viewer, permission, item);
  return { kind, item_id: id };
}

/** The viewer's drafts for an item, the chosen one first, then the newest. */
export async function draftsFor(
  { db }: PageDraftsContext,
  viewer: Viewer,
  item: DraftItem,
  { slot, pageId }: DraftChoice,
): Promise<Pick<Drafts, "draft" | "drafts">> {
  const isChosen = pageId === null ? sql`slot = ${slot}` : sql`page_id is not distinct from ${pageId}::integer`;
  const found = await rows<Draft & { readonly is_chosen: boolean }>(
    db,
    sql`select ${DRAFT_COLUMNS}, ${isChosen} as is_chosen from page_drafts where ${isOwn(viewer, item)}
      order by is_chosen desc, updated_at desc limit ${MAX_LISTED}`,
  );
  const drafts = found.map(({ slot: own, name, page_id, updated_at }) => ({ slot: own, name, page_id, updated_at }));
  const [first] = found;
  if (!first?.is_chosen) return { draft: null, drafts };
  const { is_chosen, ...draft } = first;
  return { draft, drafts };
}

/** A draft of the viewer by its slot. */
export async function findDraft(
  { db }: PageDraftsContext,
  viewer: Viewer,
  item: DraftItem,
  slot: string,
): Promise<Draft | undefined> {
  const [draft] = await rows<Draft>(
    db,
    sql`select ${DRAFT_COLUMNS} from page_drafts where ${isOwn(viewer, item)} and slot = ${slot}`,
  );
  return draft;
}

/** Other users with a recent draft of the page; none for new pages. */
export function otherAuthors({ contracts, db }: PageDraftsContext, viewer: Viewer, item: DraftItem) {
  return rows<Drafts["others"][number]>(
    db,
    sql`select ${contracts.users.ref(sql.ref("page_drafts.user_id"))} as user, updated_at from page_drafts
      where kind = ${item.kind} and kind = 'page' and item_id = ${item.item_id}::integer
        and user_id <> ${viewer.id}::integer and updated_at > now() - ${ACTIVE_MINUTES} * interval '1 minute'
      order by updated_at desc`,
  );
}

/** The drafts of a user. */
export function draftsOf(userId: number, db: PageDraftsContext["db"]): Promise<DraftKey[]> {
  return rows<DraftKey>(db, sql`select ${KEY_COLUMNS} from page_drafts where user_id = ${userId}::integer`);
}

/** The drafts that were not changed for so many days. */
export function draftsOlderThan(days: number, db: PageDraftsContext["db"]): Promise<DraftKey[]> {
  return rows<DraftKey>(
    db,
    sql`select ${KEY_COLUMNS} from page_drafts where updated_at < now() - ${days} * interval '1 day'`,
  );
}

function isOwn(viewer: Viewer, { kind, item_id }: DraftItem) {
  return sql`kind = ${kind} and item_id = ${item_id}::integer and user_id = ${viewer.id}::integer`;
}
