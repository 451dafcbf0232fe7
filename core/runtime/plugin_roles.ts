/**
 * Which plugins run their statements as a role of their own, and the roles' rights. The rights are what a plugin declares,
 * without what the operator denied, and the columns that the visibility rules of its tables read. A role is made before its
 * plugin is set up, and completed once all are: a rule may be registered later than the plugin that needs it. Where the
 * store's account may not make roles, the boot goes on and says so once: grants are then checked for queries of Kysely only.
 */
import {
  addColumns,
  type Db,
  dropRole,
  GrantError,
  guarded,
  type IdleLimit,
  type IdleLimits,
  isDenied,
  overAll,
  presentColumns,
  type RoleDrift,
  type RoleGrants,
  RolesSync,
  roleDrift,
  type Store,
  syncRoles,
  type Grants as TableGrants,
  type TableName,
} from "../../db/mod.ts";
import type { Config } from "../config.ts";
import { BootError } from "../errors.ts";
import type { PartGuard } from "../events/part_guard.ts";
import { currentWorkLimit } from "../events/work_limit.ts";
import type { PartName } from "../faults.ts";
import type { Log } from "../log.ts";
import type { VisibilityRules } from "../resources/visibility.ts";
import { deniesColumns } from "./column_grants.ts";
import type { GivenSql } from "./given_sql.ts";
import type { Kind } from "./grant_kinds.ts";
import type { PluginChoices } from "./operator_choices.ts";
import type { AnyPlugin } from "./plugin.ts";
import type { RunningServers } from "./running_servers.ts";

/** How the grants of a plugin are enforced. */
export interface Enforcement {
  /** Whether PostgreSQL should enforce them: for plugins that do not ship, and for all by PLUGIN_ROLES. */
  readonly isWanted: boolean;
  /** Why it does not, though it should; undefined where it does. */
  readonly reason?: string | undefined;
}

/** What statements of one plugin go through. */
export interface PluginDb {
  readonly db: Db;
  /** An open transaction, restricted in the same way. */
  within(tx: Db): Db;
  /** The same as `db` without the check of Kysely's trees, for statements that the runtime builds of the plugin's parts. */
  readonly unchecked: Db;
  queryWithDeadline: Store["queryWithDeadline"];
  /** What its SQL in statements of others may name; undefined for a plugin that ships. */
  readonly given: GivenSql | undefined;
  /** Whether the plugin may read a table; throws GrantError if not. */
  needRead(table: TableName): void;
}

/** What the roles need of the runtime. */
export interface PluginRolesOptions {
  readonly store: Store;
  readonly log: Log;
  readonly mode: Config["pluginRoles"];
  /** Names of the plugins that do not ship with Lectern. */
  readonly thirdParty: ReadonlySet<string>;
  readonly visibility: VisibilityRules;
  /** The runtimes of the database: rights that others need are not revoked. */
  readonly servers: Pick<RunningServers, "register" | "neededByOthers">;
  /** Limits and counts transactions that plugins which do not ship begin themselves. */
  readonly guard: PartGuard;
  /** Tables of the kinds of content contributed so far. */
  contentTables(): readonly string[];
  /** Tables of the slot `searched_parts`, which plugins that may use those of content may read. */
  partTables(): readonly string[];
}

/** Why nothing is enforced where the operator set it so. */
export const OFF = "PLUGIN_ROLES is off";

/** The roles of one runtime. */
export class PluginRoles {
  readonly #options: PluginRolesOptions;
  readonly #tables = new Map<string, TableGrants>();
  /** Of the columns that plugins are granted those that exist when they are set up: others may be of a plugin that boots later. */
  readonly #present = new Map<string, NonNullable<TableGrants["columns"]>>();
  /** Plugins that may use the tables of all kinds of content, and how. */
  readonly #ofContent = new Map<string, "read" | "write">();
  readonly #sync: RolesSync;
  /** How many plugins' rights other runtimes were told. */
  #registered: number | undefined;
  #reason: string | undefined;
  #hasChanged = false;
  /** Whether a store of a role was given out: it is of no use without the role. */
  #isGiven = false;

  constructor(options: PluginRolesOptions) {
    this.#options = options;
    this.#sync = new RolesSync(options.store.db, (db) => options.servers.neededByOthers(db));
    if (options.mode === "off" && options.thirdParty.size > 0) this.#reason = OFF;
  }

  /** How the grants of a plugin are enforced. */
  enforcementOf(name: string): Enforcement {
    const { mode, thirdParty } = this.#options;
    const isWanted = isEnforcementWanted(mode, thirdParty.has(name));
    return { isWanted, reason: isWanted ? this.#reason : undefined };
  }

  /** Whether roles were made or changed: a role that is made anew has none of its former memberships. */
  get hasChanged(): boolean {
    return this.#hasChanged;
  }

  /** Tells other runtimes which rights the plugins need at least, before the first of them is given. */
  async begin(plugins: readonly AnyPlugin[], denied: PluginChoices["denied"] = {}): Promise<void> {
    const enforced = plugins.filter(({ name }) => this.#isEnforced(name));
    const needed = enforced.map((plugin) => {
      const { read, write, columns = {} } = tablesOf(plugin, denied[plugin.name] ?? []);
      return { plugin: plugin.name, read, write, columns };
    });
    await this.#register(needed);
  }

  /**
   * Makes the role of a plugin, over the tables that exist so far. `denied` are the kinds of grants that the operator denied,
   * and `hasMigrated` whether the plugin's migrations have just altered tables.
   */
  async prepare(plugin: AnyPlugin, denied: readonly Kind[], hasMigrated: boolean): Promise<PluginDb> {
    if (hasMigrated) this.#sync.forget();
    const tables = tablesOf(plugin, denied);
    this.#tables.set(plugin.name, tables);
    const ofContent = denied.includes("contentTables") ? [] : (plugin.grants.contentTables ?? []);
    if (ofContent.length > 0) this.#ofContent.set(plugin.name, ofContent.includes("write") ? "write" : "read");
    const { store } = this.#options;
    this.#present.set(plugin.name, await presentColumns(store.db, tables.columns ?? {}));
    const check = (db: Db) => overAll(guarded<TableName>(db, plugin.name, tables));
    const readable = new Set([...tables.read, ...tables.write]);
    const needRead = (table: TableName) => {
      if (!readable.has(table))
        throw new GrantError(plugin.name, table, "read", {
          denied: isDenied(tables, table, "read"),
          columns: tables.columns?.[table],
        });
    };
    const given = this.#options.thirdParty.has(plugin.name)
      ? { plugin: plugin.name, grants: tables, schema: store.schema }
      : undefined;
    // Rules are still registered: a boot that changes nothing does not revoke and grant rights on columns again.
    if (this.#isEnforced(plugin.name)) await this.#give([this.#grantsOf(plugin.name, true)]);
    const idle = given && this.#idleLimits(plugin.name);
    if (!this.#isEnforced(plugin.name)) {
      const db = idle ? store.limitedTo(idle) : store.db;
      return {
        db: check(db),
        within: check,
        unchecked: db,
        given,
        needRead,
        queryWithDeadline: (query) => store.queryWithDeadline(query),
      };
    }
    this.#isGiven = true;
    const own = store.restrictedTo(plugin.name, tables, idle);
    return {
      db: check(own.db),
      within: (tx) => check(own.within(tx)),
      unchecked: own.db,
      given,
      needRead,
      queryWithDeadline: (query) => own.queryWithDeadline(query),
    };
  }

  #idleLimits(plugin: string): IdleLimits {
    const { quietMs, attendedMs } = this.#options.guard.limits;
    return {
      transaction: this.#idleLimit({ plugin, place: "db.transaction()" }, quietMs),
      stream: this.#idleLimit({ plugin, place: "stream() of db" }, attendedMs),
    };
  }

  #idleLimit(part: PartName, limitMs: number): IdleLimit {
    const { guard } = this.#options;
    return {
      limitMs: () => limitMs,
      totalMs: () => currentWorkLimit() ?? guard.limits.longMs,
      refusal: () => guard.refusalOf(part),
      onExpired: (reason, began) => void guard.late(part, reason, began),
      onEnd: () => guard.faults.answered(part),
    };
  }

  /** Completes the roles, once all tables and visibility rules are known, and says which grants are not enforced. */
  async complete(): Promise<void> {
    // Setups and `syncSchema` may have altered tables.
    this.#sync.forget();
    const enforced = this.#enforced();
    await this.#register(enforced);
    await this.#give(enforced);
    const affected = [...this.#tables.keys()].filter((name) => this.enforcementOf(name).isWanted);
    if (this.#reason !== undefined && affected.length > 0)
      this.#options.log.warn("The store does not enforce the grants of plugins", {
        reason: this.#reason,
        plugins: affected,
      });
  }

  /** Gives and revokes rights again, as other runtimes of the database have started or ended. */
  async refresh(): Promise<void> {
    await syncRoles(this.#options.store.db, this.#enforced(), (db) => this.#options.servers.neededByOthers(db));
  }

  /** What PostgreSQL has besides or instead of the grants: statements that would correct it, and roles of plugins that are not loaded. */
  async drift(): Promise<RoleDrift> {
    const { store, servers } = this.#options;
    return roleDrift(store.db, this.#enforced(), [...this.#tables.keys()], await servers.neededByOthers());
  }

  /** Corrects that. Returns how many statements changed something and how many roles were dropped. */
  async repair(): Promise<number> {
    const { store, servers } = this.#options;
    const { db } = store;
    const { leftovers } = await this.drift();
    const { changes } = await syncRoles(db, this.#enforced(), (tx) => servers.neededByOthers(tx));
    let dropped = 0;
    for (const role of leftovers) if (await dropRole(db, role)) dropped++;
    return changes + dropped;
  }

  /** Tells other runtimes the rights; once where there are none. */
  async #register(grants: readonly RoleGrants[]): Promise<void> {
    if (grants.length === 0 && this.#registered === 0) return;
    await this.#options.servers.register(grants);
    this.#registered = grants.length;
  }

  /** The complete grants of the plugins whose roles are enforced. */
  #enforced(): RoleGrants[] {
    return [...this.#tables.keys()].filter((name) => this.#isEnforced(name)).map((name) => this.#grantsOf(name));
  }

  #grantsOf(plugin: string, isPartial = false): RoleGrants {
    const { columns: own = {}, ...declared } = this.#tables.get(plugin) as TableGrants;
    const ofContent = this.#ofContent.get(plugin);
    const content = this.#options.contentTables();
    const parts = ofContent === undefined ? [] : this.#options.partTables();
    const read = [...declared.read, ...(ofContent === "read" ? content : []), ...parts];
    const write = [...declared.write, ...(ofContent === "write" ? content : [])];
    // One transaction for the columns that rules of all plugins read is faster than one for each.
    const columns = isPartial
      ? (this.#present.get(plugin) ?? {})
      : addColumns(this.#options.visibility.readsOf([...read, ...write]), own);
    return { plugin, read, write, columns, isPartial, keepsTables: isPartial && ofContent !== undefined };
  }

  async #give(grants: readonly RoleGrants[]): Promise<void> {
    const { reason, changes } = await this.#sync.sync(grants);
    this.#hasChanged ||= changes > 0;
    if (reason === undefined) return;
    if (this.#isGiven) throw new BootError(`Cannot give plugins the rights of their grants: ${reason}`);
    this.#reason = reason;
  }

  #isEnforced(name: string): boolean {
    const { isWanted, reason } = this.enforcementOf(name);
    return isWanted && reason === undefined;
  }
}

/** Whether PostgreSQL should enforce the grants of a plugin. */
export function isEnforcementWanted(mode: Config["pluginRoles"], isThirdParty: boolean): boolean {
  return mode === "all" || isThirdParty;
}

/** The grants of a plugin's role before its visibility rules are known, as a boot begins with. */
export function firstGrantsOf(plugin: AnyPlugin, denied: readonly Kind[]): Parameters<RolesSync["sync"]>[0][number] {
  const { read, write } = tablesOf(plugin, denied);
  return { plugin: plugin.name, read, write, columns: {}, isPartial: true };
}

/** The tables that a plugin may use, and those that it declares and the operator denied. */
function tablesOf({ grants }: AnyPlugin, denied: readonly Kind[]): TableGrants {
  const split = (kind: "read" | "write") => {
    const declared: readonly string[] = grants[kind] ?? [];
    return denied.includes(kind) ? { held: [], lost: declared } : { held: declared, lost: [] };
  };
  const [read, write] = [split("read"), split("write")];
  const { columns = {} } = grants;
  const isLost = deniesColumns(denied);
  const lost = isLost ? Object.keys(columns) : [];
  return {
    read: read.held,
    write: write.held,
    columns: isLost ? {} : (columns as NonNullable<TableGrants["columns"]>),
    denied: { read: [...read.lost, ...lost], write: write.lost },
  };
}
