/** What migrations make: they run over a temporary, empty store, whose objects are read. */
import {
  type Db,
  migrate,
  migrationStatuses,
  openStore,
  type SchemaDifference,
  type SchemaObject,
  schemaDifferences,
  schemaObjects,
  withThrowawayStore,
} from "../../db/mod.ts";
import { coreMigrations } from "../runtime/migrations.ts";
import type { AnyPlugin } from "../runtime/plugin.ts";
import { SchemaRoles, type SchemaRolesOptions } from "../runtime/schema_roles.ts";
import { withCore } from "../runtime/with_core.ts";

/** A function that compares a store with what these plugins, in boot order, make in an empty one, which is done once. Throws StoreError. */
export function comparedWith(
  db: Db,
  plugins: readonly AnyPlugin[],
  options: Omit<SchemaRolesOptions, "store">,
): () => Promise<SchemaDifference[]> {
  let made: readonly SchemaObject[] | undefined;
  return async () => {
    made ??= await withThrowawayStore(({ dataDir }) => madeIn(dataDir, plugins, options));
    return differencesFrom(db, plugins, made);
  };
}

/**
 * The objects that the migrations of the runtime and of these plugins, in boot order, make in the empty store of a folder, which is left
 * migrated. Those of plugins that do not ship have no SQL: made again by a repair they would belong to the account, and their functions would run with its rights. Nor
 * are their functions compared by more than their names, since they depend on the `PLUGIN_ROLES` of the time when they were made.
 * Throws StoreError where the embedded store cannot run here, such as for want of its binaries.
 */
export async function madeIn(
  dataDir: string,
  plugins: readonly AnyPlugin[],
  options: Omit<SchemaRolesOptions, "store">,
): Promise<SchemaObject[]> {
  const { thirdParty } = options;
  const store = await openStore({ dataDir, poolSize: 2 });
  try {
    const { db } = store;
    await migrate(db, "core", coreMigrations);
    const shipped = plugins.filter(({ name }) => !thirdParty.has(name));
    for (const { name, migrations } of shipped) await migrate(db, name, migrations);
    const made = await schemaObjects(db);
    if (thirdParty.size === 0) return made;
    const roles = new SchemaRoles({ ...options, store });
    for (const plugin of plugins.filter(({ name }) => thirdParty.has(name)))
      await migrate(db, plugin.name, plugin.migrations, await roles.runnerOf(plugin));
    const ours = new Set(made.map(labelOf));
    return (await schemaObjects(db)).map((one) => (ours.has(labelOf(one)) ? one : ofThirdParty(one)));
  } finally {
    await store.close();
  }
}

function ofThirdParty(one: SchemaObject): SchemaObject {
  return { ...one, create: null, ...(one.kind === "function" && { definition: null }) };
}

/**
 * What a store lacks of these objects, or has in another form. Where steps have run that these plugins do not have, those of a newer
 * version may have made other forms: then only what is missing is told.
 */
export async function differencesFrom(
  db: Db,
  plugins: readonly AnyPlugin[],
  expected: readonly SchemaObject[],
): Promise<SchemaDifference[]> {
  const statuses = [...(await migrationStatuses(db, withCore(plugins))).values()];
  const isOlder = statuses.some(({ unknown }) => unknown.length > 0);
  const found = await schemaDifferences(db, expected);
  return isOlder ? found.filter(({ problem }) => problem === "missing") : found;
}

function labelOf({ kind, table, name }: SchemaObject): string {
  return `${kind} ${table} ${name}`;
}
