/** What migrations make: they run over a temporary, empty store, whose objects are read. */
import { migrate, openStore, type SchemaObject, schemaObjects, withThrowawayStore } from "../../db/mod.ts";
import { coreMigrations } from "./migrations.ts";
import type { AnyPlugin } from "./plugin.ts";
import { SchemaRoles, type SchemaRolesOptions } from "./schema_roles.ts";

/**
 * The objects that the migrations of the runtime and of these plugins, in boot order, make in an empty store. Those of plugins that
 * do not ship have no SQL: made again by a repair they would belong to the account, and their functions would run with its rights.
 * Throws StoreError where the embedded store cannot run here, such as for want of its binaries.
 */
export function expectedSchema(
  plugins: readonly AnyPlugin[],
  options: Omit<SchemaRolesOptions, "store">,
): Promise<SchemaObject[]> {
  return withThrowawayStore(({ dataDir }) => madeIn(dataDir, plugins, options));
}

/** The same over the empty store of a folder, which is left migrated. */
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
    return (await schemaObjects(db)).map((one) => (ours.has(labelOf(one)) ? one : { ...one, create: null }));
  } finally {
    await store.close();
  }
}

function labelOf({ kind, table, name }: SchemaObject): string {
  return `${kind} ${table} ${name}`;
}
