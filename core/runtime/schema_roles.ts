/**
 * With which rights migrations and `syncSchema` of plugins run. Those of plugins that ship run with all rights of the account. Those
 * of others run as a role that owns what they make, and may change no more than that, unless they have the grant `schema`; what
 * they make is recorded, for a purge. Where roles cannot be made, or PLUGIN_ROLES is off, they run with the rights of the account,
 * which the boot says once (`plugin_roles.ts`).
 */
import {
  adoptObjects,
  asOwner,
  joinOwners,
  presentColumns,
  type RoleGrants,
  RolesSync,
  recordingObjects,
  type StepRunner,
  type Store,
  unownedObjects,
} from "../../db/mod.ts";
import type { Config } from "../config.ts";
import { deniesColumns } from "./column_grants.ts";
import type { PluginChoices } from "./operator_choices.ts";
import type { AnyPlugin } from "./plugin.ts";
import { firstGrantsOf } from "./plugin_roles.ts";

/** What they need of the runtime. */
export interface SchemaRolesOptions extends Pick<PluginChoices, "denied"> {
  readonly store: Pick<Store, "db">;
  readonly mode: Config["pluginRoles"];
  /** Names of the plugins that do not ship with Lectern. */
  readonly thirdParty: ReadonlySet<string>;
}

/** The rights of schema changes in one runtime. */
export class SchemaRoles {
  readonly #options: SchemaRolesOptions;

  constructor(options: SchemaRolesOptions) {
    this.#options = options;
  }

  /** How the steps of a plugin run; undefined for those of a plugin that ships. */
  async runnerOf(plugin: AnyPlugin): Promise<StepRunner | undefined> {
    const { thirdParty } = this.#options;
    const { name } = plugin;
    if (!thirdParty.has(name)) return undefined;
    const owned = !this.#hasSchema(plugin) && (await this.#makeRole(plugin));
    return (tx, run) => recordingObjects(tx, { plugin: name, owned }, () => (owned ? asOwner(tx, name, run) : run(tx)));
  }

  /**
   * Gives to the roles of plugins what is theirs and still the account's: tables of before there were such roles, and everything after
   * a restore, also of plugins that are not loaded: their functions would run with the rights of the account. Does nothing where that
   * is done, or roles cannot be made.
   */
  async adopt(plugins: readonly AnyPlugin[]): Promise<void> {
    const { store, mode, thirdParty } = this.#options;
    if (mode === "off") return;
    const owning = plugins.filter((plugin) => thirdParty.has(plugin.name) && !this.#hasSchema(plugin));
    const found = await unownedObjects(
      store.db,
      owning.map(({ name }) => name),
    );
    for (const [plugin, objects] of Map.groupBy(found, (one) => one.plugin)) {
      const loaded = owning.find(({ name }) => name === plugin);
      if (loaded && !(await this.#makeRole(loaded))) return;
      await adoptObjects(store.db, plugin, objects);
    }
  }

  /** Has those roles inherit the rights of plugins again whose other role was made anew. */
  async join(): Promise<void> {
    const { store, mode, thirdParty } = this.#options;
    if (mode !== "off" && thirdParty.size > 0) await joinOwners(store.db, [...thirdParty]);
  }

  #hasSchema({ name, grants }: AnyPlugin): boolean {
    return grants.schema === true && !(this.#options.denied?.[name] ?? []).includes("schema");
  }

  /** Makes the role of a plugin, whose rights its steps have. Resolves to whether that can be. */
  async #makeRole(plugin: AnyPlugin): Promise<boolean> {
    const { store, mode } = this.#options;
    if (mode === "off") return false;
    const denied = this.#options.denied?.[plugin.name] ?? [];
    const first = firstGrantsOf(plugin, denied);
    const single = (plugin.grants.columns ?? {}) as RoleGrants["columns"];
    const columns = deniesColumns(denied) ? {} : await presentColumns(store.db, single);
    const { reason } = await new RolesSync(store.db).sync([{ ...first, columns, keepsTables: true }]);
    return reason === undefined;
  }
}
