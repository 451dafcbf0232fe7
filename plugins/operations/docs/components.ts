import { mapSchema, type TSchema, t } from "lectern/core";

/** Options by which the runtime knows schemas; they are no part of JSON schema. */
const OWN_OPTIONS = ["$id", "x-fields-of", "x-listing"];

/**
 * The named schemas of a document. A schema with an `$id` becomes a component and is replaced by a reference; one of the
 * same name with other content gets a number.
 */
export class Components {
  readonly #schemas = new Map<string, TSchema>();

  /** The schema with references in place of named schemas, itself included. */
  add(schema: TSchema): TSchema {
    return mapSchema(schema, (part) => {
      // A recursive schema refers to itself by its name.
      if (part.$ref !== undefined) return t.Ref(part.$ref);
      // Elysia's `model` makes the name a reference.
      const name = part.$id?.replace("#/components/schemas/", "");
      return name === undefined ? part : t.Ref(this.#register(name, withoutOwnOptions(part)));
    });
  }

  /** All components by name, sorted. */
  schemas(): Record<string, TSchema> {
    return Object.fromEntries([...this.#schemas].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  #register(wanted: string, schema: TSchema): string {
    for (let number = 1; ; number++) {
      const name = number === 1 ? wanted : `${wanted}${number}`;
      const known = this.#schemas.get(name);
      // An optional field differs in a symbol alone, which is no part of its schema.
      if (known && JSON.stringify(known) !== JSON.stringify(schema)) continue;
      this.#schemas.set(name, schema);
      return name;
    }
  }
}

function withoutOwnOptions(schema: TSchema): TSchema {
  const copy = { ...schema };
  for (const option of OWN_OPTIONS) delete copy[option];
  return copy;
}
