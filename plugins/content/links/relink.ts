/**
 * Rewrites links when the items that they lead to get another address. Each record has the address as the content has it,
 * so outdated links are found by comparing it with the item's present address: no state from before the change is needed,
 * and a link that was missed is rewritten by the next change. Only recorded links are read, never all content.
 */
import type { AliasedExpression, QueryCreator } from "kysely";
import { type EventTransaction, sql } from "lectern/core";
import { prepared, type Tables } from "lectern/db";
import { described } from "../_items/statements.ts";
import type { LinkSource, LinksContext } from "./contract.ts";

type Context = Pick<LinksContext, "baseUrl" | "contracts">;

/** Items whose addresses may have changed: one alone, or with everything in it. */
export interface ChangedItem extends LinkSource {
  readonly withContents: boolean;
}

/** A recorded link with the item's present path. */
interface OutdatedLink {
  readonly from_kind: LinkSource["kind"];
  readonly from_id: number;
  readonly path: string;
  readonly current: string;
}

const SUMMARY = "System auto-update of internal links";

function pageLinks(db: QueryCreator<Tables>, column: "pages.id" | "pages.chapter_id" | "pages.book_id", id: number) {
  return db
    .selectFrom("pages")
    .innerJoin("books", "books.id", "pages.book_id")
    .innerJoin("content_links as links", (join) =>
      join.on("links.to_kind", "=", sql.lit("page")).onRef("links.to_id", "=", "pages.id"),
    )
    .select(["links.from_kind", "links.from_id", "links.path"])
    .select((eb) =>
      sql<string>`'/books/' || ${eb.ref("books.slug")} || '/page/' || ${eb.ref("pages.slug")}`.as("current"),
    )
    .where(column, "=", id);
}

function chapterLinks(db: QueryCreator<Tables>, column: "chapters.id" | "chapters.book_id", id: number) {
  return db
    .selectFrom("chapters")
    .innerJoin("books", "books.id", "chapters.book_id")
    .innerJoin("content_links as links", (join) =>
      join.on("links.to_kind", "=", sql.lit("chapter")).onRef("links.to_id", "=", "chapters.id"),
    )
    .select(["links.from_kind", "links.from_id", "links.path"])
    .select((eb) =>
      sql<string>`'/books/' || ${eb.ref("books.slug")} || '/chapter/' || ${eb.ref("chapters.slug")}`.as("current"),
    )
    .where(column, "=", id);
}

function bookLinks(db: QueryCreator<Tables>, id: number) {
  return db
    .selectFrom("books")
    .innerJoin("content_links as links", (join) =>
      join.on("links.to_kind", "=", sql.lit("book")).onRef("links.to_id", "=", "books.id"),
    )
    .select(["links.from_kind", "links.from_id", "links.path"])
    .select((eb) => sql<string>`'/books/' || ${eb.ref("books.slug")}`.as("current"))
    .where("books.id", "=", id);
}

function shelfLinks(db: QueryCreator<Tables>, id: number) {
  return db
    .selectFrom("bookshelves")
    .innerJoin("content_links as links", (join) =>
      join.on("links.to_kind", "=", sql.lit("bookshelf")).onRef("links.to_id", "=", "bookshelves.id"),
    )
    .select(["links.from_kind", "links.from_id", "links.path"])
    .select((eb) => sql<string>`'/shelves/' || ${eb.ref("bookshelves.slug")}`.as("current"))
    .where("bookshelves.id", "=", id);
}

/** A statement that reads the outdated ones of recorded links, which `targets` selects with the items' present paths. */
const outdatedOf = (
  name: string,
  targets: (db: QueryCreator<Tables>, id: number) => AliasedExpression<OutdatedLink, "targets">,
) =>
  prepared(name, (db, p: { id: number }) =>
    db
      .selectFrom(targets(db, p.id))
      .select(["targets.from_kind", "targets.from_id", "targets.path", "targets.current"])
      .whereRef("targets.path", "<>", "targets.current")
      .orderBy("targets.from_kind")
      .orderBy("targets.from_id"),
  );

const OUTDATED = {
  page: outdatedOf("links.outdatedToPage", (db, id) => pageLinks(db, "pages.id", id).as("targets")),
  chapter: outdatedOf("links.outdatedToChapter", (db, id) => chapterLinks(db, "chapters.id", id).as("targets")),
  book: outdatedOf("links.outdatedToBook", (db, id) => bookLinks(db, id).as("targets")),
  bookshelf: outdatedOf("links.outdatedToShelf", (db, id) => shelfLinks(db, id).as("targets")),
};
const OUTDATED_WITH_CONTENTS = {
  ...OUTDATED,
  chapter: outdatedOf("links.outdatedInChapter", (db, id) =>
    chapterLinks(db, "chapters.id", id)
      .unionAll(pageLinks(db, "pages.chapter_id", id))
      .as("targets"),
  ),
  book: outdatedOf("links.outdatedInBook", (db, id) =>
    bookLinks(db, id)
      .unionAll(chapterLinks(db, "chapters.book_id", id))
      .unionAll(pageLinks(db, "pages.book_id", id))
      .as("targets"),
  ),
};

const lockPage = prepared("links.lockPage", (db, p: { id: number }) =>
  db.selectFrom("pages").select(["html", "markdown"]).where("id", "=", p.id).forUpdate(),
);

const descriptionsIn = (table: "books" | "chapters" | "bookshelves") => ({
  lock: prepared(`links.lockDescription.${table}`, (db, p: { id: number }) =>
    described(db)
      .selectFrom(table as string)
      .select("description_html as html")
      .where("id", "=", p.id)
      .forUpdate(),
  ),
  update: prepared(`links.setDescription.${table}`, (db, p: { id: number; html: string }) =>
    described(db)
      .updateTable(table as string)
      .set((eb) => ({ description_html: p.html, updated_at: eb.fn<string>("clock_timestamp") }))
      .where("id", "=", p.id),
  ),
});
const DESCRIPTIONS = {
  book: descriptionsIn("books"),
  chapter: descriptionsIn("chapters"),
  bookshelf: descriptionsIn("bookshelves"),
};

const replaceRecords = prepared("links.replaceRecords", (db, p: { links: string }) =>
  db
    .with("changed", (query) =>
      query
        .selectFrom(
          sql<OutdatedLink>`jsonb_to_recordset(${p.links}::text::jsonb)`.as<"changed">(
            sql`changed(from_kind text, from_id integer, path text, current text)`,
          ),
        )
        .select(["changed.from_kind", "changed.from_id", "changed.path", "changed.current"]),
    )
    .with("gone", (query) =>
      query
        .deleteFrom("content_links as links")
        .using("changed")
        .whereRef("links.from_kind", "=", "changed.from_kind")
        .whereRef("links.from_id", "=", "changed.from_id")
        .whereRef("links.path", "=", "changed.path")
        .returning(["links.from_kind", "links.from_id", "links.to_kind", "links.to_id", "changed.current"]),
    )
    .insertInto("content_links")
    .columns(["from_kind", "from_id", "to_kind", "to_id", "path"])
    .expression((eb) =>
      eb
        .selectFrom("gone")
        .select(["gone.from_kind", "gone.from_id", "gone.to_kind", "gone.to_id", "gone.current"])
        .distinct(),
    )
    .onConflict((conflict) =>
      conflict
        .columns(["from_kind", "from_id", "path"])
        .doUpdateSet((eb) => ({ to_kind: eb.ref("excluded.to_kind"), to_id: eb.ref("excluded.to_id") })),
    ),
);

/** Rewrites the outdated links to items (content-api 4.4). */
export async function updateLinksTo(context: Context, changed: ChangedItem, tx: EventTransaction): Promise<void> {
  const statements = changed.withContents ? OUTDATED_WITH_CONTENTS : OUTDATED;
  const outdated = await statements[changed.kind].execute(tx.db, { id: changed.id });
  const sources = Map.groupBy(outdated, ({ from_kind, from_id }) => `${from_kind} ${from_id}`);
  for (const links of sources.values()) {
    const [first] = links;
    if (!first) continue;
    const { from_kind: kind, from_id: id } = first;
    const moved = new Map(links.map(({ path, current }) => [context.baseUrl + path, context.baseUrl + current]));
    if (kind === "page") await rewritePage(context, id, moved, tx);
    else await rewriteDescription(context, { kind, id }, moved, tx);
    await updateRecords(links, tx);
  }
}

async function rewritePage(
  { contracts }: Context,
  id: number,
  moved: ReadonlyMap<string, string>,
  tx: EventTransaction,
): Promise<void> {
  const page = await lockPage.executeTakeFirst(tx.db, { id });
  const content = page && (await contracts.markup.relink(page, moved, { viewer: tx.viewer }));
  if (content) await contracts.pages.rewrite(id, content, SUMMARY, tx);
}

async function rewriteDescription(
  { contracts }: Context,
  { kind, id }: { readonly kind: keyof typeof DESCRIPTIONS; readonly id: number },
  moved: ReadonlyMap<string, string>,
  tx: EventTransaction,
): Promise<void> {
  const item = await DESCRIPTIONS[kind].lock.executeTakeFirst(tx.db, { id });
  const stored = item && { html: item.html, markdown: "" };
  const content = stored && (await contracts.markup.relink(stored, moved, { viewer: tx.viewer }));
  if (!content) return;
  await DESCRIPTIONS[kind].update.execute(tx.db, { id, html: content.html });
}

/** Records the new paths; one that the content had already is not recorded twice. */
async function updateRecords(links: readonly OutdatedLink[], tx: EventTransaction): Promise<void> {
  await replaceRecords.execute(tx.db, { links: JSON.stringify(links) });
}
