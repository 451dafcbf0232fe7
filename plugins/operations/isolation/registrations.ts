/**
 * What an isolated plugin sends to the server about itself: its data, and what its `setup` registered. Both are checked here before
 * the server uses them, since the process that sends them is not trusted.
 */
import { type Static, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { BootError, DAY_MS, renamedKey } from "lectern/core";

const MAX_ITEMS = 500;
const name = Type.String({ minLength: 1, maxLength: 63, pattern: "^[A-Za-z0-9_@/:.-]+$" });
const texts = Type.Array(Type.String({ maxLength: 253 }), { maxItems: MAX_ITEMS });
const names = Type.Array(name, { maxItems: MAX_ITEMS });

const settingSchema = Type.Object({
  type: Type.Union([Type.Literal("string"), Type.Literal("integer"), Type.Literal("number"), Type.Literal("boolean")]),
  default: Type.Union([Type.String(), Type.Number(), Type.Boolean()]),
  description: Type.Optional(Type.String()),
  env: Type.Optional(Type.String({ pattern: "^[A-Z][A-Z0-9_]*$" })),
  shared: Type.Optional(Type.Boolean()),
  minimum: Type.Optional(Type.Number()),
  maximum: Type.Optional(Type.Number()),
  minLength: Type.Optional(Type.Integer()),
  maxLength: Type.Optional(Type.Integer()),
});

const manifestSchema = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 63, pattern: "^[A-Za-z0-9_@/:-]+$" }),
  // What further kinds of grants may hold is checked at boot, as for any plugin.
  grants: Type.Object(
    {
      read: Type.Optional(names),
      write: Type.Optional(names),
      columns: Type.Optional(Type.Record(name, names)),
      net: Type.Optional(Type.Union([Type.Literal("any"), texts])),
      env: Type.Optional(names),
      files: Type.Optional(Type.Boolean()),
    },
    { additionalProperties: Type.Union([Type.Boolean(), Type.Literal("any"), texts]) },
  ),
  settings: Type.Record(Type.String({ pattern: "^[A-Za-z][A-Za-z0-9_]*$" }), settingSchema),
  migrations: names,
  events: names,
  permissions: names,
  before: names,
  after: names,
  requires: names,
  uses: names,
  optionalTables: names,
  version: Type.Optional(Type.String({ maxLength: 100 })),
  lectern: Type.Optional(Type.String({ maxLength: 100 })),
});

/** The data of an isolated plugin. */
export type Manifest = Static<typeof manifestSchema>;

const registrationsSchema = Type.Object({
  routes: Type.Array(
    Type.Object({
      place: Type.Union([Type.Literal("app"), Type.Literal("site")]),
      method: Type.Union((["get", "post", "put", "patch", "delete"] as const).map((each) => Type.Literal(each))),
      path: Type.String({ maxLength: 200, pattern: "^/[A-Za-z0-9._~:/*-]*$" }),
      permit: name,
      emptyAsNull: Type.Optional(names),
    }),
    { maxItems: MAX_ITEMS },
  ),
  events: Type.Array(
    Type.Object({
      name,
      moments: Type.Array(
        Type.Union(
          (["beforeTransaction", "filter", "veto", "inTransaction", "notify"] as const).map((each) =>
            Type.Literal(each),
          ),
        ),
      ),
    }),
    { maxItems: MAX_ITEMS },
  ),
  jobs: Type.Array(
    Type.Object({
      name,
      tries: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
      leaseMs: Type.Optional(Type.Integer({ minimum: 1_000, maximum: DAY_MS })),
    }),
    { maxItems: MAX_ITEMS },
  ),
  contributions: Type.Array(
    Type.Object({ slot: name, data: Type.Record(Type.String(), Type.Unknown()), functions: names }),
    { maxItems: MAX_ITEMS },
  ),
  schedules: Type.Array(Type.Object({ name, intervalMs: Type.Integer({ minimum: 1_000 }) }), { maxItems: MAX_ITEMS }),
});

/** What the `setup` of an isolated plugin registered; the place in each list is the number that calls name. */
export type Registrations = Static<typeof registrationsSchema>;

/** The data of a plugin, checked. Throws BootError that names the entry of the list and what is wrong. */
export function checkedManifest(entry: string, value: unknown): Manifest {
  const what = `Cannot load the isolated plugin "${entry}"`;
  const renamed = renamedKey(Object(value));
  if (renamed !== undefined) throw new BootError(`${what}: ${renamed}`);
  return checked(manifestSchema, value, what);
}

/** What a plugin registered, checked. Throws BootError. */
export function checkedRegistrations(plugin: string, value: unknown): Registrations {
  return checked(registrationsSchema, value, `Cannot set up the isolated plugin "${plugin}"`);
}

function checked<S extends typeof manifestSchema | typeof registrationsSchema>(
  schema: S,
  value: unknown,
  what: string,
): Static<S> {
  const first = Value.Errors(schema, value).First();
  if (first) throw new BootError(`${what}: "${first.path.slice(1).replaceAll("/", ".")}": ${first.message}`);
  return Value.Clean(schema, value) as Static<S>;
}
