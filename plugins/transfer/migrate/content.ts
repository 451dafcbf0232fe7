/**
 * What copying shelves, books, chapters and pages has in common: users and times, descriptions and links, permission
 * overrides, and the event that writes the item. Overrides are written in the transaction of their item, so that hidden
 * content is never visible here.
 */

import type { Selectable, Updateable } from "kysely";
import type { Json } from "lectern/cli";
import type { Override } from "lectern/contracts";
import { type EventName, type EventTransaction, freeSlug, type ItemTable, sql } from "lectern/core";
import type { Tables } from "lectern/db";
import { insertRow, type Row, updateRow } from "./changes.ts";
import type { MigrateContext } from "./contract.ts";
import type { Target } from "./target_map.ts";
import { idIn, listOf, objectOf, type tagsOf, textOf, timeOf } from "./values.ts";

/** A kind of content. */
export type ContentKind = Target["kind"];

const TABLES = {
  bookshelf: "bookshelves",
  book: "books",
  chapter: "chapters",
  page: "pages",
} as const satisfies Record<ContentKind, keyof Tables>;

type ContentTable = (typeof TABLES)[ContentKind];
/** The columns of any kind of content. */
type ContentColumns = Omit<
  Updateable<Tables["bookshelves"] & Tables["books"] & Tables["chapters"] & Tables["pages"]>,
  "deleted_at"
>;
/** The columns of a page that its content is stored in. */
export type PageContent = Pick<Selectable<Tables["pages"]>, "html" | "markdown" | "text" | "rendered">;
/** The columns that are copied for every kind. */
export type History = Pick<
  Selectable<ItemTable>,
  "created_by" | "updated_by" | "owned_by" | "created_at" | "updated_at"
>;

/** The columns of an item's users and times. */
export function historyOf({ state }: Pick<MigrateContext, "state">, item: Json): History {
  const user = (value: unknown) => state.targetIdOf("user", idIn(value)) ?? null;
  return {
    created_by: user(item.created_by),
    updated_by: user(item.updated_by),
    owned_by: user(item.owned_by),
    created_at: timeOf(item.created_at),
    updated_at: timeOf(item.updated_at),
  };
}

/** Rewrites the addresses of a text; unresolved ones are reported under `label`. */
export function rewriteText(
  context: MigrateContext,
  label: string,
  text: string,
): { text: string; links: readonly Target[] } {
  const { text: changed, links, unresolved } = context.addresses.rewrite(text);
  for (const address of unresolved) context.report.add("unresolved", `${label}: ${address}`);
  return { text: changed, links };
}

/** The texts of the source, which are compared, since the rewritten ones change when a linked item is moved here. */
export function sourceTexts(
  item: Json,
): Pick<Selectable<Tables["books"]>, "slug" | "description" | "description_html"> {
  const { slug, description, description_html } = item;
  return { slug: textOf(slug), description: textOf(description), description_html: textOf(description_html) };
}

/** The columns of a description, and its links. */
export function descriptionOf(context: MigrateContext, label: string, item: Json) {
  const html = rewriteText(context, label, textOf(item.description_html));
  const plain = context.addresses.rewrite(textOf(item.description)).text;
  const described = context.contracts.markup.describe(
    html.text === "" ? { description: plain } : { description_html: html.text },
  );
  const description_html = html.text === "" ? "" : (described?.description_html ?? "");
  return { columns: { description: plain, description_html }, links: html.links };
}

/** The permission overrides of an item at the source, with the ids of roles here. Throws AnswerError. */
export async function overridesOf(
  context: MigrateContext,
  kind: ContentKind,
  id: number,
  label: string,
): Promise<readonly Override[]> {
  if (context.options.withoutPermissions) return [];
  const known = context.marks.overridesOf(kind, id);
  if (known) return known;
  const answer = await context.source.permissions(kind, id);
  const flags = (entry: Json) => ({
    view: entry.view === true,
    create: entry.create === true,
    update: entry.update === true,
    delete: entry.delete === true,
  });
  const entries = listOf(answer.role_permissions).flatMap((entry): Override[] => {
    const role_id =
      context.state.targetIdOf("role", idIn(entry.role_id)) ?? context.rolesByName.get(nameOf(entry.role));
    if (role_id !== undefined) return [{ role_id, ...flags(entry) }];
    context.marks.leaveOpen(kind, id);
    context.report.add("permissions", `${label}: role "${textOf(objectOf(entry.role).display_name)}"`);
    return [];
  });
  const fallback = objectOf(answer.fallback_permissions);
  const overrides = fallback.inheriting === false ? [...entries, { role_id: 0, ...flags(fallback) }] : entries;
  context.marks.keepOverrides(kind, id, overrides);
  return overrides;
}

function nameOf(role: unknown): string {
  return textOf(objectOf(role).display_name).toLowerCase();
}

/** An item to write. */
export interface ContentWrite {
  readonly kind: ContentKind;
  readonly existing: Row<ContentKind> | undefined;
  /** Its id here. */
  readonly id: number;
  /** Its slug at the source. */
  readonly sourceSlug: string;
  readonly columns: ContentColumns & History & Pick<Selectable<ItemTable>, "name" | "slug">;
  readonly tags: ReturnType<typeof tagsOf>;
  readonly overrides: readonly Override[];
  readonly links: readonly Target[];
  /** The event's draft, besides name and tags. */
  readonly draft: object;
  /** The event's result, besides the columns. */
  readonly result?: object;
  /** The columns that depend on the draft after the event's filters. */
  readonly finalColumns?: (draft: Json, tx: EventTransaction) => Promise<PageContent>;
}

/** Writes an item within its event, then its overrides, links and slug at the source. */
export async function writeContent(context: MigrateContext, item: ContentWrite, tx: EventTransaction): Promise<void> {
  const { kind, existing, id, columns, tags } = item;
  const draft = { ...item.draft, name: columns.name, tags };
  const write = async (given: { draft?: Json } & Json, inner: EventTransaction) => {
    const final = existing ? (given.draft as Json) : given;
    const all = { ...columns, name: final.name as string, ...(await item.finalColumns?.(final, inner)) };
    const table = TABLES[kind];
    const row = await (existing ? updateRow(inner, table, id, all) : insertRow(inner, table, { ...all, id }));
    await context.contracts.tags.save(kind, id, tags, inner);
    return { ...row, tags, ...item.result };
  };
  // Event names are made from the kind, which the compiler cannot follow.
  const event = `${kind}_${existing ? "update" : "create"}` as EventName;
  await tx.perform(
    event,
    (existing ? { row: { ...existing, tags: [], ...item.result }, draft } : draft) as never,
    write as never,
  );
  await replaceOverrides(context, item, tx);
  await recordLinks(item, tx);
  await recordSourceSlug(item, tx);
}

async function replaceOverrides(
  context: MigrateContext,
  { kind, existing, id, overrides }: ContentWrite,
  tx: EventTransaction,
): Promise<void> {
  const present = existing
    ? await tx.db
        .selectFrom("entity_permissions")
        .select("id")
        .where("kind", "=", kind)
        .where("item_id", "=", id)
        .limit(1)
        .execute()
    : [];
  if (overrides.length + present.length > 0) await context.contracts.overrides.replace(kind, id, overrides, tx);
}

/** Records links, also those to items that are yet to be written, so that they are updated when addresses change. */
async function recordLinks({ kind, id, links }: ContentWrite, tx: EventTransaction): Promise<void> {
  if (links.length === 0) return;
  const sent = JSON.stringify(links.map((link) => ({ kind: link.kind, id: link.id, path: link.path })));
  await tx.db
    .insertInto("content_links")
    .columns(["from_kind", "from_id", "to_kind", "to_id", "path"])
    .expression((eb) =>
      eb
        .selectFrom(
          sql<{ kind: string; id: number; path: string }>`jsonb_to_recordset(${sent}::text::jsonb)`.as<"link">(
            sql`link (kind text, id integer, path text)`,
          ),
        )
        .select([
          sql<string>`${kind}::text`.as("from_kind"),
          sql<number>`${id}::integer`.as("from_id"),
          "link.kind",
          "link.id",
          "link.path",
        ]),
    )
    .onConflict((conflict) =>
      conflict.columns(["from_kind", "from_id", "path"]).doUpdateSet(({ ref }) => ({
        to_kind: ref("excluded.to_kind"),
        to_id: ref("excluded.to_id"),
      })),
    )
    .execute();
}

/** Records the slug at the source as an earlier slug where it was taken here. */
async function recordSourceSlug({ kind, id, sourceSlug, columns }: ContentWrite, tx: EventTransaction): Promise<void> {
  if (sourceSlug === "" || columns.slug === sourceSlug) return;
  await tx.db
    .insertInto("slug_history")
    .values({ kind, item_id: id, slug: sourceSlug, book_id: columns.book_id ?? 0 })
    .onConflict((conflict) => conflict.columns(["kind", "item_id", "slug", "book_id", "book_slug"]).doNothing())
    .execute();
}

/** The slug reserved for an item, or another one where it was taken in the meantime. */
export async function slugFor(
  { table, slug, name, id, bookId }: { table: ContentTable; slug: string; name: string; id: number; bookId?: number },
  tx: EventTransaction,
): Promise<string> {
  const where = bookId === undefined ? sql<boolean>`true` : sql<boolean>`book_id = ${bookId}::integer`;
  const taken = await tx.db
    // Content tables have these columns in common.
    .selectFrom(table as "pages")
    .select("id")
    .where("slug", "=", slug)
    .where("deleted_at", "is", null)
    .where("id", "<>", id)
    .where(where)
    .executeTakeFirst();
  return taken ? freeSlug(tx.db, table, name, { id, where }) : slug;
}
