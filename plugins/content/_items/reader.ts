/**
 * What readers of the slot `item_reader` have in common. An item is found by its id or slug in one statement, together with the
 * fields of other plugins that can be selected with it.
 */
import {
  type FieldsById,
  fieldsOfRead,
  type ItemAddress,
  NO_SELECTED_FIELDS,
  type People,
  peopleOf,
  recordFailedSelects,
  type SelectedFields,
  selectedFields,
  type Tag,
} from "lectern/contracts";
import { type PluginContext, type RawBuilder, sql, type Viewer } from "lectern/core";
import { flattened, memoized, rows } from "lectern/db";
import type { ItemContext, ItemKind } from "./contract.ts";

/** What readers need of a context. */
export type ReaderContext = Pick<ItemContext, "db" | "visible"> & {
  readonly contracts: Pick<ItemContext["contracts"], "tags" | "users">;
} & Pick<PluginContext, "slot">;

/** Parameters of a statement that finds an item, beside its address. */
export interface FindParameters {
  readonly visible: RawBuilder<boolean>;
  readonly people: RawBuilder<People>;
  readonly tags: RawBuilder<Tag[]>;
  readonly fields: RawBuilder<SelectedFields>;
}

/** The fields of other plugins that were selected with a row. */
export interface FoundFields {
  readonly fields: SelectedFields;
}

/** The fields of other plugins for the single read of a row. */
export function fieldsOfRow(
  { slot }: Pick<ReaderContext, "slot">,
  kind: string,
  { id, fields }: { readonly id: number } & FoundFields,
  viewer: Viewer,
): Promise<FieldsById> {
  return fieldsOfRead(slot("response_fields"), kind, { id, selected: fields }, viewer);
}

/** The same function of a viewer, called once for each. */
export function perViewer<Value extends object>(make: (viewer: Viewer) => Value): (viewer: Viewer) => Value {
  const known = new WeakMap<Viewer, Value>();
  return (viewer) => {
    const value = known.get(viewer) ?? make(viewer);
    known.set(viewer, value);
    return value;
  };
}

/** Finds an item: by its id, or by its slug as written, else in any case (content-api 3). */
export function addressFinder<Row extends { readonly id: number }>(
  context: ReaderContext,
  { kind, table }: Pick<ItemKind, "kind" | "table">,
  by: {
    id(parameters: FindParameters & { readonly id: number }, viewer: Viewer): Promise<Row | undefined>;
    slug(
      parameters: FindParameters & { readonly slug: string },
      viewer: Viewer,
      within: number | string | undefined,
    ): Promise<Row | undefined>;
    /** SQL for what contains the item. */
    within?(within: number | string): RawBuilder<boolean>;
    /** Records which further SQL of plugins fails for a row, after a statement with it was refused. */
    recordFailed?(viewer: Viewer, row: Row): Promise<void>;
  },
): (viewer: Viewer, where: ItemAddress) => Promise<Row | undefined> {
  const { contracts, db, slot, visible } = context;
  const id = sql.ref(`${table}.id`);
  const shared = { people: flattened(peopleOf(contracts.users, table)), tags: flattened(contracts.tags.of(kind, id)) };
  const fieldsFor = perViewer((viewer) => memoized(selectedFields(slot("response_fields"), kind, id, viewer)));
  const idInAnyCase = async (viewer: Viewer, slug: string, within: number | string | undefined) => {
    const scope = within === undefined ? undefined : by.within?.(within);
    // A template, since the table varies. It runs only where no visible item has the slug as written.
    const [found] = await rows<{ id: number }>(
      db,
      sql`select ${id} from ${sql.table(table)} where lower(${sql.ref(`${table}.slug`)}) collate "C" = lower(${slug}::text)
        and ${visible.where(table, viewer)} ${scope ? sql`and ${scope}` : sql``} order by ${id} limit 1`,
    );
    return found?.id;
  };
  const parametersFor = (viewer: Viewer): FindParameters => ({
    ...shared,
    visible: visible.where(table, viewer),
    fields: fieldsFor(viewer),
  });
  const recordSelects = (viewer: Viewer, row: Row) =>
    recordFailedSelects(slot("response_fields"), kind, id, viewer, (fields) =>
      // A template: the table varies, and the fields are SQL of contributors.
      rows(db, sql`select ${fields} from ${sql.table(table)} where ${id} = ${row.id}::integer`),
    );
  /** Runs a find; where SQL that a plugin selects with the item fails, runs it again without any such SQL. */
  const found = async (viewer: Viewer, find: (parameters: FindParameters) => Promise<Row | undefined>) => {
    const parameters = parametersFor(viewer);
    try {
      return await find(parameters);
    } catch (error) {
      if (!isRefusedStatement(error)) throw error;
      const row = await find({ ...parameters, fields: NO_SELECTED_FIELDS });
      if (row) await Promise.all([recordSelects(viewer, row), by.recordFailed?.(viewer, row)]);
      return row;
    }
  };
  const byId = async (viewer: Viewer, itemId: number) =>
    found(viewer, (parameters) => by.id({ id: itemId, ...parameters }, viewer));
  return async (viewer, where) => {
    if ("id" in where) return isId(where.id) ? byId(viewer, where.id) : undefined;
    const { slug, within } = where;
    // No slug has NUL, which PostgreSQL rejects.
    if (`${slug}${within}`.includes("\0")) return undefined;
    const row = await found(viewer, (parameters) => by.slug({ slug, ...parameters }, viewer, within));
    if (row) return row;
    const other = await idInAnyCase(viewer, slug, within);
    return other === undefined ? undefined : byId(viewer, other);
  };
}

/** SQLSTATEs of statements that are wrong in themselves: their syntax, names, types or values. */
const REFUSED = /^(?:21|22|42)...$/;

function isRefusedStatement(error: unknown): boolean {
  return error instanceof Error && "code" in error && typeof error.code === "string" && REFUSED.test(error.code);
}

/** Whether a number is in the range of ids, so that it can be compared with an id column. */
export function isId(id: number): boolean {
  return Number.isInteger(id) && id >= 1 && id <= 2_147_483_647;
}

/** SQL for the id of a book that an address names by id or slug; that of no book where it names none. */
export function bookIn(within: number | string | undefined): RawBuilder<number> {
  if (typeof within !== "string") return sql`${isId(within ?? 0) ? within : 0}::integer`;
  return sql`(select holder.id from books as holder where holder.slug = ${within} and holder.deleted_at is null)`;
}

/** The same as a list for `in`, by a slug in any case. */
export function bookInAnyCase(within: number | string): RawBuilder<number> {
  if (typeof within !== "string") return sql`(${isId(within) ? within : 0}::integer)`;
  return sql`(select holder.id from books as holder
    where lower(holder.slug) collate "C" = lower(${within}::text) and holder.deleted_at is null)`;
}
