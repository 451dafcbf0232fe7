/**
 * Reads of drafts, each limited to those of the viewer; what others do is in news.ts. A draft is identified by its item and a slot, or by the draft page of a new
 * page.
 */
import type { ExpressionBuilder } from "kysely";
import { idOf, notFound, type RawBuilder, type Static, sql, type Viewer } from "lectern/core";
import { prepared, type Tables } from "lectern/db";
import type { DraftKey, draftSchema, draftsSchema, PageDraftsContext } from "./contract.ts";

interface ItemParameters {
  readonly id: number;
  readonly visible: RawBuilder<boolean>;
}

const findPage = prepared("page_drafts.findPage", (db, p: ItemParameters) =>
  db
    .selectFrom("pages")
    .select(["id", "owned_by", "acl_id", "revision_count"])
    .where("pages.id", "=", p.id)
    .where(p.visible),
);
const findChapter = prepared("page_drafts.findChapter", (db, p: ItemParameters) =>
  db
    .selectFrom("chapters")
    .select((eb) => ["id", "owned_by", "acl_id", eb.lit(null).as("revision_count")])
    .where("chapters.id", "=", p.id)
    .where(p.visible),
);
const findBook = prepared("page_drafts.findBook", (db, p: ItemParameters) =>
  db
    .selectFrom("books")
    .select((eb) => ["id", "owned_by", "acl_id", eb.lit(null).as("revision_count")])
    .where("books.id", "=", p.id)
    .where(p.visible),
);

type Draft = Static<typeof draftSchema>;
type Drafts = Static<typeof draftsSchema>;

const KINDS = {
  page: { table: "pages", find: findPage, noun: "Page", permission: "page-update" },
  chapter: { table: "chapters", find: findChapter, noun: "Chapter", permission: "page-create" },
  book: { table: "books", find: findBook, noun: "Book", permission: "page-create" },
} as const;

/** The most drafts of new pages in one place that are listed. */
const MAX_LISTED = 20;

/** An item that drafts are for. */
export interface DraftItem extends Pick<DraftKey, "kind" | "item_id"> {
  /** That of a page; null for the book or chapter of a new page. */
  readonly revision_count: number | null;
}

/** Which of the viewer's drafts a request reads: by slot, or by draft page where that is not null. */
export interface DraftChoice {
  readonly slot: string;
  readonly pageId: number | null;
}

type OwnParameters = Pick<DraftItem, "kind" | "item_id"> & { readonly userId: number };

function isOwn(eb: ExpressionBuilder<Tables, "page_drafts">, { kind, item_id, userId }: OwnParameters) {
  return eb.and([eb("kind", "=", kind), eb("item_id", "=", item_id), eb("user_id", "=", userId)]);
}

const SHOWN_COLUMNS = ["slot", "name", "html", "markdown", "tags", "base_revision", "base_tags"] as const;

/** SQL for the id of the draft page; null where it was published or deleted. */
function draftPageId(eb: ExpressionBuilder<Tables, "page_drafts">) {
  return eb
    .selectFrom("pages")
    .select("pages.id")
    .whereRef("pages.id", "=", "page_drafts.page_id")
    .where((of) => of.ref("pages.draft"))
    .where("pages.deleted_at", "is", null)
    .as("page_id");
}

const ownDrafts = prepared("page_drafts.own", (db, p: OwnParameters & DraftChoice) =>
  db
    .selectFrom("page_drafts")
    .select(SHOWN_COLUMNS)
    .select((eb) => [
      draftPageId(eb),
      "updated_at",
      eb
        .case()
        .when(sql<number>`${p.pageId}::integer`, "is", null)
        .then(eb("slot", "=", p.slot))
        .else(eb("page_id", "is not distinct from", p.pageId))
        .end()
        .as("is_chosen"),
    ])
    .where((eb) => isOwn(eb, p))
    .orderBy("is_chosen", "desc")
    .orderBy("updated_at", "desc")
    .limit(sql.lit(MAX_LISTED)),
);

const ownDraft = prepared("page_drafts.find", (db, p: OwnParameters & { readonly slot: string }) =>
  db
    .selectFrom("page_drafts")
    .select(SHOWN_COLUMNS)
    .select((eb) => [draftPageId(eb), "updated_at"])
    .where((eb) => isOwn(eb, p))
    .where("slot", "=", p.slot),
);

const ofUser = prepared("page_drafts.ofUser", (db, p: { userId: number }) =>
  db.selectFrom("page_drafts").select(["user_id", "kind", "item_id", "slot"]).where("user_id", "=", p.userId),
);

const olderThan = prepared("page_drafts.olderThan", (db, p: { days: number }) =>
  db
    .selectFrom("page_drafts")
    .select(["user_id", "kind", "item_id", "slot"])
    .where("updated_at", "<", sql<string>`now() - ${p.days}::integer * interval '1 day'`),
);

/** The item that a path names. Throws the 404 or 403 that writing to the item would throw. */
export async function findItem(
  { contracts, db, visible }: PageDraftsContext,
  viewer: Viewer,
  params: { readonly kind: string; readonly id: string },
): Promise<DraftItem> {
  if (!Object.hasOwn(KINDS, params.kind)) throw notFound("Draft");
  const kind = params.kind as keyof typeof KINDS;
  const { find, table, noun, permission } = KINDS[kind];
  const id = idOf(params.id, noun);
  const item = await find.executeTakeFirst(db, { id, visible: visible.where(table, viewer) });
  if (!item) throw notFound(noun);
  await contracts.access.need(viewer, permission, item);
  return { kind, item_id: id, revision_count: item.revision_count };
}

/** The viewer's drafts for an item, the chosen one first, then the newest. */
export async function draftsFor(
  { db }: PageDraftsContext,
  viewer: Viewer,
  item: DraftItem,
  { slot, pageId }: DraftChoice,
): Promise<Pick<Drafts, "draft" | "drafts">> {
  const found = await ownDrafts.execute(db, { ...item, userId: viewer.id, slot, pageId });
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
  return ownDraft.executeTakeFirst(db, { ...item, userId: viewer.id, slot });
}

/** The drafts of a user. */
export function draftsOf(userId: number, db: PageDraftsContext["db"]): Promise<DraftKey[]> {
  return ofUser.execute(db, { userId });
}

/** The drafts that were not changed for so many days. */
export function draftsOlderThan(days: number, db: PageDraftsContext["db"]): Promise<DraftKey[]> {
  return olderThan.execute(db, { days });
}
