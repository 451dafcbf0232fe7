/**
 * The items of a rename: how many there are, and their tags after it. Names and values are the same where their keys are, as in
 * listings and filters, so "os" and "OS" are one name; an item whose tags have the new spelling already is none of the rename. Items are
 * those that the viewer sees, without drafts, which their writer alone sees.
 */
import type { ContentKind, Tag } from "lectern/contracts";
import { type RawBuilder, sql, type Viewer } from "lectern/core";
import { type Executor, rows } from "lectern/db";
import type { Rename, RenamesContext } from "./contract.ts";

/** Kinds whose tags are renamed, in the order in which they change: those of the listings of tags. */
export const TAGGED = ["bookshelf", "book", "chapter", "page"] as const;

/** The kinds of `TAGGED` that are installed, in that order. */
export function taggedKinds({ slot }: Pick<RenamesContext, "slot">): readonly ContentKind[] {
  const kinds = slot("content");
  return TAGGED.flatMap((kind) => kinds.find((one) => one.kind === kind) ?? []);
}

/** Items by whether the viewer may update them. */
export interface RenameCounts {
  readonly changes: number;
  readonly left_alone: number;
}

interface Group {
  readonly owned_by: number | null;
  readonly acl_id: number;
  readonly n: number;
}

/** Counts the items of a rename. Decisions are made once for all items with the same access list and owner. */
export async function countItems(context: RenamesContext, viewer: Viewer, rename: Rename): Promise<RenameCounts> {
  let [changes, left_alone] = [0, 0];
  for (const kind of taggedKinds(context)) {
    // A template, here and below: the tables are those of contributed kinds, and the keys are no columns of the builder's types.
    const groups = await rows<Group>(
      context.db,
      sql`select ${sql.ref(`${kind.table}.owned_by`)}, ${sql.ref(`${kind.table}.acl_id`)}, count(*)::integer as n
        from ${sql.table(kind.table)} where ${isRenamed(context, viewer, kind, rename)} group by 1, 2`,
    );
    for (const { owned_by, acl_id, n } of groups)
      if (await context.contracts.access.may(viewer, `${kind.kind}-update`, { id: 0, owned_by, acl_id })) changes += n;
      else left_alone += n;
  }
  return { changes, left_alone };
}

/** The next items of a kind after an id. */
export async function nextItems(
  context: RenamesContext,
  viewer: Viewer,
  rename: Rename,
  { kind, after, limit }: { readonly kind: ContentKind; readonly after: number; readonly limit: number },
): Promise<readonly number[]> {
  const id = sql.ref(`${kind.table}.id`);
  const found = await rows<{ id: number }>(
    context.db,
    sql`select ${id} from ${sql.table(kind.table)} where ${id} > ${after}::integer and ${isRenamed(context, viewer, kind, rename)}
      order by 1 limit ${limit}::integer`,
  );
  return found.map((item) => item.id);
}

/** Locks items of a kind, so that nobody changes their tags until the transaction ends. */
export async function lockItems(db: Executor, { table }: ContentKind, ids: readonly number[]): Promise<void> {
  await rows(db, sql`select id from ${sql.table(table)} where id = any(${ids}::integer[]) order by id for update`);
}

/** A tag after the rename. Equal where names and values are, but for case and accents: `key`. */
export interface RenamedTag extends Pick<Tag, "name" | "value"> {
  readonly key: string;
  readonly isRenamed: boolean;
}

/** The tags of an item after the rename; undefined where none of them changes. */
export async function renamedTags(
  db: Executor,
  rename: Rename,
  kind: string,
  id: number,
): Promise<readonly Pick<Tag, "name" | "value">[] | undefined> {
  const found = await rows<RenamedTag>(
    db,
    sql`select name, value, length(text_key(name)) || ' ' || text_key(name) || text_key(value) as key, "isRenamed" from (
        select case when renamed then ${rename.to_name}::text else name end as name,
          case when renamed then coalesce(${rename.to_value}::text, value) else value end as value,
          renamed as "isRenamed", sort_order, position
        from (select *, ${tagTest(rename)} as renamed from tags where kind = ${kind}::text and item_id = ${id}::integer) as tag
      ) as after order by sort_order, position`,
  );
  return found.some(({ isRenamed }) => isRenamed) ? withoutTwins(found) : undefined;
}

/** Tags without the renamed ones that the item has already. Twins that were there before stay. */
export function withoutTwins(tags: readonly RenamedTag[]): readonly Pick<Tag, "name" | "value">[] {
  const kept = new Set(tags.flatMap(({ key, isRenamed }) => (isRenamed ? [] : [key])));
  return tags
    .filter(({ key, isRenamed }) => {
      if (isRenamed && kept.has(key)) return false;
      kept.add(key);
      return true;
    })
    .map(({ name, value }) => ({ name, value }));
}

/** Whether the viewer sees an item, no draft, and it has a tag that the rename changes. */
function isRenamed(
  { visible }: RenamesContext,
  viewer: Viewer,
  { kind, table, ownOnly }: ContentKind,
  rename: Rename,
): RawBuilder<unknown> {
  const isDraft = ownOnly === undefined ? sql`` : sql`not ${sql.ref(`${table}.${ownOnly}`)} and`;
  return sql`${isDraft} exists (select from tags where tags.kind = ${sql.lit(kind)} and tags.item_id = ${sql.ref(`${table}.id`)}
    and ${tagTest(rename)}) and ${visible.where(table, viewer)}`;
}

/** Whether a tag is renamed: its keys are those of the rename, and it is not spelt as the new one already. */
function tagTest({ name, value, to_name, to_value }: Rename): RawBuilder<boolean> {
  const isKey = (column: "name" | "value", text: string) => {
    const key = sql.ref(`tags.${column}_key`);
    return sql`left(${key}, 200) = left(text_key(${text}::text), 200) and ${key} = text_key(${text}::text)`;
  };
  const isOfValue = value === null ? sql`` : sql`and ${isKey("value", value)}`;
  const hasOtherValue = to_value === null ? sql`` : sql`or tags.value <> ${to_value}::text`;
  return sql<boolean>`(${isKey("name", name)} ${isOfValue} and (tags.name <> ${to_name}::text ${hasOtherValue}))`;
}
