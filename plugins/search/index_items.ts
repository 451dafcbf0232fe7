import { type ContentKind, type RawBuilder, type Searchable, sql, type Work } from "lectern/core";
import { type Db, rows, write } from "lectern/db";

/** PostgreSQL keeps no more than a megabyte of words for one document; characters of a body beyond these are not found. */
const MAX_BODY = 200_000;

/** A kind with what can be found of it. */
export interface SearchedKind {
  readonly kind: ContentKind;
  readonly body: RawBuilder<string>;
}

/** The kinds that can be searched. */
export function searchedKinds(kinds: readonly ContentKind[], searchable: readonly Searchable[]): SearchedKind[] {
  return kinds.flatMap((kind) => {
    const found = searchable.find((one) => one.kind === kind.kind);
    return found ? [{ kind, body: found.body }] : [];
  });
}

/** Makes the entry of one item anew. */
export async function indexItem(searched: SearchedKind, id: number, { db }: Work): Promise<void> {
  const { table } = searched.kind;
  await write(db, entries(searched, sql`${sql.ref(`${table}.id`)} = ${id}::integer`));
}

/** Makes the entries that are missing, such as those of an instance that had no search before. */
export async function indexMissing(searched: readonly SearchedKind[], db: Pick<Db, "executeQuery">): Promise<void> {
  for (const one of searched) {
    const { kind, table } = one.kind;
    const missing = sql`not exists (select from search_index
      where search_index.kind = ${kind} and search_index.item_id = ${sql.ref(`${table}.id`)})`;
    await rows(db, entries(one, missing));
  }
}

function entries({ kind: { kind, table }, body }: SearchedKind, where: RawBuilder<unknown>): RawBuilder<unknown> {
  const name = sql.ref(`${table}.name`);
  const id = sql.ref(`${table}.id`);
  const tags = sql`(select string_agg(tags.name || ' ' || tags.value, ' ') from tags
    where tags.kind = ${kind} and tags.item_id = ${id})`;
  return sql`insert into search_index (kind, item_id, document)
    select ${kind}, ${id}, setweight(to_tsvector('simple', ${name}), 'A')
      || setweight(to_tsvector('simple', coalesce(${tags}, '')), 'B')
      || setweight(to_tsvector('simple', left(${body}, ${MAX_BODY})), 'D')
    from ${sql.table(table)} where ${where}
    on conflict (kind, item_id) do update set document = excluded.document`;
}
