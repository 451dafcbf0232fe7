/** Functions of readers of the slots `content` and `response_fields`: they call contributions and merge what these return. */

import { type RawBuilder, sql } from "kysely";
import {
  type AddedFields,
  type ContentEntry,
  callContribution,
  callContributionNow,
  deepFreeze,
  type ResponseFields,
  unwritable,
  type Viewer,
} from "lectern/core";

/**
 * SQL for a time within JSON as answers show it: 2026-01-05T09:30:00.000000Z.
 * @example
 * const times = sql`select json_build_object('created_at', ${jsonTime("notes.created_at")}) from notes`;
 */
export function jsonTime(column: string): RawBuilder<string> {
  return sql`to_char(${sql.ref(column)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
}

/** An entry of a book's contents (content-api 5.3), before it is nested. */
export interface BookEntry extends ContentEntry {
  readonly book_id: number;
  /** The chapter of the entry; chapters have none. */
  readonly chapter_id?: number | null;
  readonly draft?: boolean;
}

/** Fields of the contributions to the slot `response_fields`, by item id. */
export type FieldsById = readonly ReadonlyMap<number, Record<string, unknown>>[];

/**
 * Calls the contributions to the slot `response_fields` for items by id; one that fails is left out.
 * @example
 * const added = await responseFieldsOf(context.slot("response_fields"), "note", "listed", [1, 2], viewer);
 */
export async function responseFieldsOf(
  contributions: readonly ResponseFields[],
  kind: string,
  moment: ResponseFields["moment"],
  ids: readonly number[],
  viewer: Viewer,
): Promise<FieldsById> {
  if (ids.length === 0) return [];
  const wanted = contributions.filter((field) => field.kind === kind && field.moment === moment);
  return await Promise.all(wanted.map((field) => addedBy(field, ids, viewer)));
}

/**
 * SQL for the fields of a single read that contributions select with the item: a JSON array, in their order.
 * @example
 * const fields = selectedFields(context.slot("response_fields"), "note", sql.ref("notes.id"), viewer);
 * const read = sql`select notes.*, ${fields} as selected from notes`;
 */
export function selectedFields(
  contributions: readonly ResponseFields[],
  kind: string,
  id: RawBuilder<unknown>,
  viewer: Viewer,
): RawBuilder<SelectedFields> {
  const selects = contributions.flatMap((field) =>
    isRead(field, kind) && field.select
      ? [callContributionNow(field, (each) => each.select?.(id, viewer), placeOf(field)) ?? sql`null`]
      : [],
  );
  return selects.length === 0 ? sql`'[]'::json` : sql`json_build_array(${sql.join(selects)})`;
}

/** In place of `selectedFields`: selects no fields, so that `fieldsOfRead` reads them by `add`. */
export const NO_SELECTED_FIELDS: RawBuilder<SelectedFields> = deepFreeze(sql`null::json`);

/** The value of `selectedFields`; null where none were selected. */
export type SelectedFields = readonly (Record<string, unknown> | null)[] | null;

/**
 * Records each contribution whose SQL for the fields of one item fails; `select` runs it.
 * @example
 * const fields = context.slot("response_fields");
 * await recordFailedSelects(fields, "note", sql.ref("notes.id"), viewer, (selected) =>
 *   sql`select ${selected} from notes`.execute(db),
 * );
 */
export async function recordFailedSelects(
  contributions: readonly ResponseFields[],
  kind: string,
  id: RawBuilder<unknown>,
  viewer: Viewer,
  select: (fields: RawBuilder<unknown>) => Promise<unknown>,
): Promise<void> {
  for (const field of contributions.filter((each) => isRead(each, kind)))
    await callContribution(
      field,
      async (each) => {
        if (each.select) await select(each.select(id, viewer) ?? sql`null`);
      },
      placeOf(field),
    );
}

/**
 * The fields of a single read, by contribution: those that were selected with the item, and those that are read now.
 * @example
 * const added = await fieldsOfRead(context.slot("response_fields"), "note", { id: 1, selected: [] }, viewer);
 * const [shown] = mergeResponseFields([{ id: 1, name: "Milk" }], added);
 */
export async function fieldsOfRead(
  contributions: readonly ResponseFields[],
  kind: string,
  { id, selected }: { readonly id: number; readonly selected: SelectedFields },
  viewer: Viewer,
): Promise<FieldsById> {
  const values = selected?.values();
  return Promise.all(
    contributions
      .filter((field) => isRead(field, kind))
      .map(async (field) => {
        if (!field.select || !values) return addedBy(field, [id], viewer);
        const value = values.next().value ?? {};
        if (!field.present) return new Map([[id, value]]);
        const presented = await callContribution(
          field,
          async (each) => written((await each.present?.(value, viewer)) ?? value),
          placeOf(field),
        );
        return new Map([[id, presented ?? {}]]);
      }),
  );
}

/**
 * The fields of contributions for the rows of a listing, as its `added` returns them; `id` is SQL for the column of an item's id.
 * @example
 * const added = listedFields(context.slot("response_fields"), "note", sql.ref("notes.id"), viewer);
 */
export function listedFields(
  contributions: readonly ResponseFields[],
  kind: string,
  id: RawBuilder<unknown>,
  viewer: Viewer,
): readonly AddedFields[] {
  return contributions
    .filter((field) => field.kind === kind && field.moment === "listed")
    .map((field) => ({
      select: field.present
        ? undefined
        : callContributionNow(field, (each) => each.select?.(id, viewer), placeOf(field)),
      read: (ids) => addedBy(field, ids, viewer),
    }));
}

const NO_FIELDS: ReadonlyMap<number, Record<string, unknown>> = new Map();

async function addedBy(field: ResponseFields, ids: readonly number[], viewer: Viewer) {
  const added = await callContribution(
    field,
    async (each) => {
      const given: unknown = await each.add(ids, viewer);
      if (!(given instanceof Map)) throw new Error("It returned no Map of fields by id");
      for (const fields of given.values()) written(fields);
      return given as ReadonlyMap<number, Record<string, unknown>>;
    },
    placeOf(field),
  );
  return added ?? NO_FIELDS;
}

/** Fields that can be answered as JSON. Throws for any others. */
function written<T>(fields: T): T {
  if (typeof fields !== "object" || fields === null) throw new Error("It returned no object of fields");
  const reason = unwritable(fields);
  if (reason !== undefined) throw new Error(`It returned ${reason}`);
  return fields;
}

function placeOf({ kind, moment }: ResponseFields): string {
  return `${kind}.${moment}`;
}

function isRead(field: ResponseFields, kind: string): boolean {
  return field.kind === kind && field.moment === "read";
}

/**
 * Merges the contributions to the slot `response_fields` into items, in the order of `items`.
 * @example
 * const notes = [{ id: 1, name: "Milk" }];
 * const shown = await withResponseFields(context.slot("response_fields"), "note", "listed", notes, viewer);
 */
export async function withResponseFields<T extends { id: number }>(
  contributions: readonly ResponseFields[],
  kind: string,
  moment: ResponseFields["moment"],
  items: readonly T[],
  viewer: Viewer,
): Promise<T[]> {
  const ids = items.map((item) => item.id);
  return mergeResponseFields(items, await responseFieldsOf(contributions, kind, moment, ids, viewer));
}

/**
 * Merges fields into items, in the order of `items`.
 * @example
 * mergeResponseFields([{ id: 1 }], [new Map([[1, { stars: 3 }]])]); // [{ id: 1, stars: 3 }]
 */
export function mergeResponseFields<T extends { id: number }>(items: readonly T[], additions: FieldsById): T[] {
  // Most items of a listing get no fields, and are not copied.
  return items.map((item) => {
    const added = additions.flatMap((addition) => addition.get(item.id) ?? []);
    return added.length === 0 ? item : Object.assign({}, item, ...added);
  });
}
