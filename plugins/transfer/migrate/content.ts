/**
 * What shelves, books, chapters and pages have in common when they are copied: people and times, descriptions and links,
 * overrides of permissions, and the event that writes them. Overrides are written in the transaction of their item, so
 * that nothing that is hidden there is ever seen here.
 */
import type { Json } from "lectern/cli";
import type { Override } from "lectern/contracts";
import { type EventName, type EventTransaction, freeSlug, sql } from "lectern/core";
import { rows, type TableName } from "lectern/db";
import { type Columns, insertRow, type Row, updateRow } from "./keep.ts";
import type { Place } from "./places.ts";
import type { Run } from "./run_parts.ts";
import { idIn, listOf, objectOf, type tagsOf, textOf, timeOf } from "./values.ts";

/** A kind of content. */
export type ContentKind = Place["kind"];

const TABLES: Readonly<Record<ContentKind, TableName>> = {
  bookshelf: "bookshelves",
  book: "books",
  chapter: "chapters",
  page: "pages",
};

/** Who made, changed and owns an item, and when, as columns. */
export function historyOf({ state }: Run, item: Json): Columns {
  const user = (value: unknown) => state.written("user", idIn(value)) ?? null;
  return {
    created_by: user(item.created_by),
    updated_by: user(item.updated_by),
    owned_by: user(item.owned_by),
    created_at: timeOf(item.created_at),
    updated_at: timeOf(item.updated_at),
  };
}

/** A text with its addresses as they are here; what was left is told of under the name of the item. */
export function rewritten(run: Run, what: string, text: string): { text: string; links: readonly Place[] } {
  const { text: changed, links, left } = run.addresses.rewrite(text);
  for (const address of left) run.report.add("left", `${what}: ${address}`);
  return { text: changed, links };
}

/** What is compared of texts: those of the source, since ours change when what they link to moves here. */
export function textsOf(item: Json): Columns {
  const { slug, description, description_html } = item;
  return { slug: textOf(slug), description: textOf(description), description_html: textOf(description_html) };
}

/** Both forms of a description as they are stored here, and where they lead to. */
export function describedOf(run: Run, what: string, item: Json) {
  const html = rewritten(run, what, textOf(item.description_html));
  const plain = run.addresses.rewrite(textOf(item.description)).text;
  const described = run.contracts.markup.describe(
    html.text === "" ? { description: plain } : { description_html: html.text },
  );
  const description_html = html.text === "" ? "" : (described?.description_html ?? "");
  return { columns: { description: plain, description_html }, links: html.links };
}

/** Overrides of an item at the source, with the roles they are for here. Throws AnswerError. */
export async function overridesOf(run: Run, kind: ContentKind, id: number, what: string): Promise<Override[]> {
  if (run.choices.withoutPermissions) return [];
  const answer = await run.source.permissions(kind, id);
  const flags = (entry: Json) => ({
    view: entry.view === true,
    create: entry.create === true,
    update: entry.update === true,
    delete: entry.delete === true,
  });
  const entries = listOf(answer.role_permissions).flatMap((entry): Override[] => {
    const role_id = run.state.written("role", idIn(entry.role_id)) ?? run.rolesByName.get(nameIn(entry.role));
    if (role_id !== undefined) return [{ role_id, ...flags(entry) }];
    run.report.add("permissions", `${what}: role "${textOf(objectOf(entry.role).display_name)}"`);
    return [];
  });
  const fallback = objectOf(answer.fallback_permissions);
  return fallback.inheriting === false ? [...entries, { role_id: 0, ...flags(fallback) }] : entries;
}

function nameIn(role: unknown): string {
  return textOf(objectOf(role).display_name).toLowerCase();
}

/** An item to write. */
export interface Content {
  readonly kind: ContentKind;
  readonly own: Row | undefined;
  /** Its id here. */
  readonly id: number;
  /** Its slug at the source. */
  readonly sourceSlug: string;
  readonly columns: Columns;
  readonly tags: ReturnType<typeof tagsOf>;
  readonly overrides: readonly Override[];
  readonly links: readonly Place[];
  /** What the event's draft says beside name and tags. */
  readonly draft: object;
  /** What its result has beside the columns. */
  readonly result?: object;
  /** The columns of what the event's filters left of the draft. */
  readonly filled?: (draft: Json, tx: EventTransaction) => Promise<Columns>;
}

/** Writes an item within its event, then its overrides, the record of its links and its address at the source. */
export async function writeContent(run: Run, item: Content, tx: EventTransaction): Promise<void> {
  const { kind, own, id, columns, tags } = item;
  const draft = { ...item.draft, name: columns.name, tags };
  const act = async (given: { draft?: Json } & Json, inner: EventTransaction) => {
    const final = own ? (given.draft as Json) : given;
    const all = { ...columns, name: final.name, ...(await item.filled?.(final, inner)) };
    const table = TABLES[kind];
    const row = await (own ? updateRow(inner, table, id, all) : insertRow(inner, table, { ...all, id }));
    await run.contracts.tags.save(kind, id, tags, inner);
    return { ...row, tags, ...item.result };
  };
  // Event names are made from the kind, which the compiler cannot follow.
  const event = `${kind}_${own ? "update" : "create"}` as EventName;
  await tx.perform(event, (own ? { row: { ...own, tags: [], ...item.result }, draft } : draft) as never, act as never);
  await replaceOverrides(run, item, tx);
  await recordLinks(item, tx);
  await recordSourceSlug(item, tx);
}

async function replaceOverrides(run: Run, { kind, own, id, overrides }: Content, tx: EventTransaction): Promise<void> {
  const present = own
    ? await rows(tx.db, sql`select from entity_permissions where kind = ${kind} and item_id = ${id}::integer limit 1`)
    : [];
  if (overrides.length + present.length > 0) await run.contracts.overrides.replace(kind, id, overrides, tx);
}

/** Links to what is not written yet are recorded too, so that they follow it when its address changes. */
async function recordLinks({ kind, id, links }: Content, tx: EventTransaction): Promise<void> {
  if (links.length === 0) return;
  const sent = JSON.stringify(links.map((link) => ({ kind: link.kind, id: link.id, path: link.path })));
  await rows(
    tx.db,
    sql`insert into content_links (from_kind, from_id, to_kind, to_id, path)
      select ${kind}, ${id}::integer, link.kind, link.id, link.path
      from jsonb_to_recordset(${sent}::text::jsonb) as link(kind text, id integer, path text)
      on conflict (from_kind, from_id, path) do update set to_kind = excluded.to_kind, to_id = excluded.to_id`,
  );
}

/** The slug at the source leads to the item as an earlier one where it could not be kept here. */
async function recordSourceSlug({ kind, id, sourceSlug, columns }: Content, tx: EventTransaction): Promise<void> {
  if (sourceSlug === "" || columns.slug === sourceSlug) return;
  const book = sql`${columns.book_id ?? 0}::integer`;
  await rows(
    tx.db,
    sql`insert into slug_history (kind, item_id, slug, book_id) values (${kind}, ${id}::integer, ${sourceSlug}, ${book})
      on conflict (kind, item_id, slug, book_id, book_slug) do nothing`,
  );
}

/** The slug kept for an item, or another one where somebody took it meanwhile. */
export async function slugFor(
  { table, slug, name, id, bookId }: { table: TableName; slug: string; name: string; id: number; bookId?: number },
  tx: EventTransaction,
): Promise<string> {
  const where = bookId === undefined ? sql<boolean>`true` : sql<boolean>`book_id = ${bookId}::integer`;
  const taken = await rows(
    tx.db,
    sql`select from ${sql.table(table)} where slug = ${slug} and deleted_at is null and id <> ${id}::integer and ${where}`,
  );
  return taken.length === 0 ? slug : freeSlug(tx.db, table, name, { id, where });
}
