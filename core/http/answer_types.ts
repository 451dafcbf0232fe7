/**
 * What the schemas of answers have in common: timestamps, nullable values, references to users, listings, and the fields that
 * other plugins add by the slot `response_fields`. A schema with an `$id` becomes a component of the OpenAPI document.
 */
import {
  type Static,
  type TNull,
  type TObject,
  type TProperties,
  type TSchema,
  type TUnion,
  Type,
} from "@sinclair/typebox";
import { deepFreeze } from "../std/freeze.ts";

/** An id of a row. */
export const idSchema = deepFreeze(Type.Integer({ minimum: 1 }));

/** A time in UTC with microseconds: 2026-01-05T09:30:00.000000Z. */
export const timestampSchema = deepFreeze(Type.String({ format: "date-time" }));

/**
 * A value or null.
 * @example
 * const noteSchema = t.Object({ id: t.Integer(), text: nullable(t.String()) }, { $id: "Note" });
 */
export function nullable<Schema extends TSchema>(schema: Schema): TUnion<[Schema, TNull]> {
  return Type.Union([schema, Type.Null()]);
}

/**
 * A list whose type is readonly, for handlers that return readonly lists.
 * @example
 * const noteSchema = t.Object({ id: t.Integer(), words: listOf(t.String()) }, { $id: "Note" });
 */
export function listOf<Item extends TSchema>(item: Item) {
  return Type.Unsafe<readonly Static<Item>[]>(Type.Array(item));
}

/** A user as answers refer to one (content-api 1.2). */
export const userRefSchema = deepFreeze(
  Type.Object(
    { id: idSchema, name: Type.String(), slug: Type.String() },
    { $id: "UserRef", description: "A reference to a user" },
  ),
);

/** A reference to a user; null where the user is gone. */
export const personSchema = deepFreeze(nullable(userRefSchema));

/** Author, last editor and owner as single reads show them. */
export const peopleFields = deepFreeze({
  created_by: personSchema,
  updated_by: personSchema,
  owned_by: personSchema,
});

/** Author, last editor and owner as listings show them: ids, null where the user is gone. */
export const peopleIdFields = deepFreeze({
  created_by: nullable(idSchema),
  updated_by: nullable(idSchema),
  owned_by: nullable(idSchema),
});

/** When an item was created and last changed. */
export const timesFields = deepFreeze({ created_at: timestampSchema, updated_at: timestampSchema });

/**
 * The answer of a listing: the rows of a page, and the number of all rows that match. Its name is that of the item without
 * "ListItem", with "Listing": BookListing.
 * @example
 * const noteListing = listingSchema(t.Object({ id: t.Integer() }, { $id: "Note" })); // NoteListing
 */
export function listingSchema<Item extends TSchema>(
  item: Item,
  $id = `${String(item.$id).replace(/ListItem$/, "")}Listing`,
) {
  return Type.Object(
    { data: Type.Array(item), total: Type.Integer({ minimum: 0, description: "The number of all rows that match" }) },
    { $id, "x-listing": true },
  );
}

/**
 * The answers of a route that has no content.
 * @example
 * context.app.delete("/notes/:id", ({ set }) => void (set.status = 204), { permit: "access-api", response: noContent });
 */
export const noContent = deepFreeze({ 204: Type.Void() });

/** Where fields are added to the answers about an item: in listings, in what a write answers, in single reads. */
export type FieldsMoment = "listed" | "saved" | "read";

/** Which contributions to the slot `response_fields` apply to a schema: those of this kind and moment. */
export interface Extensible {
  readonly "x-fields-of": readonly [kind: string, moment: FieldsMoment];
}

/** Fields that a plugin adds to answers, with their schemas if it gives any. */
export interface DescribedFields {
  readonly kind: string;
  readonly moment: FieldsMoment;
  readonly schema?: TProperties;
}

/**
 * An option of a schema to whose answers other plugins add fields, by the slot `response_fields`.
 * @example
 * const noteSchema = t.Object({ id: t.Integer() }, { $id: "Note", ...fieldsOf("note", "read") });
 */
export function fieldsOf(kind: string, moment: FieldsMoment): Extensible {
  return { "x-fields-of": [kind, moment] };
}

/**
 * A schema, and those within it, with the fields that other plugins add. Where a plugin adds fields without a schema, the
 * object may have any further keys.
 * @example
 * const noteSchema = t.Object({ id: t.Integer() }, { $id: "Note", ...fieldsOf("note", "read") });
 * const shown = withContributedFields(noteSchema, context.slot("response_fields"));
 */
export function withContributedFields(schema: TSchema, contributions: readonly DescribedFields[]): TSchema {
  return mapSchema(schema, (part) => {
    const [kind, moment] = (part as Partial<Extensible>)["x-fields-of"] ?? [];
    const added = contributions.filter((fields) => fields.kind === kind && fields.moment === moment);
    if (added.length === 0) return part;
    const properties: TProperties = Object.assign({}, part.properties, ...added.map((fields) => fields.schema ?? {}));
    const { additionalProperties: _, "x-fields-of": __, $id, ...options } = part;
    const isOpen = added.some((fields) => fields.schema === undefined);
    return Type.Object(properties, {
      ...($id !== undefined && { $id }),
      ...(options.description === undefined ? {} : { description: options.description as string }),
      ...(isOpen && { additionalProperties: true }),
    }) as TObject;
  });
}

/**
 * A copy of a schema in which each schema has gone through a function, inner ones first.
 * @example
 * const plain = mapSchema(t.Object({ at: t.String({ format: "date-time" }) }), ({ format: _, ...part }) => part as typeof plain);
 */
export function mapSchema(schema: TSchema, change: (part: TSchema) => TSchema): TSchema {
  const within = (key: string, value: unknown): unknown => {
    if (Array.isArray(value)) return value.map((one) => within(key, one));
    if (typeof value !== "object" || value === null) return value;
    if (key === "properties" || key === "patternProperties")
      return Object.fromEntries(
        Object.entries(value).map(([name, part]) => [name, mapSchema(part as TSchema, change)]),
      );
    return isSchema(value) ? mapSchema(value, change) : value;
  };
  const copy: TSchema = Object.assign(
    {},
    schema,
    Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, within(key, value)])),
  );
  return change(copy);
}

/** TypeBox marks its schemas by symbols. */
function isSchema(value: object): value is TSchema {
  return Object.getOwnPropertySymbols(value).length > 0;
}
