/** Names of roles and functions. */
import { createHash } from "node:crypto";

/** The schema of the functions that run statements of plugins. */
export const GRANTS_SCHEMA = "lectern_grants";
const MAX_BYTES = 63;
const HASH_LENGTH = 16;

/** The name of a plugin's role. `prefix` is that of the database, since roles are shared by the databases of a server. */
export function roleName(prefix: string, plugin: string): string {
  return short(`${prefix}:${plugin}`);
}

/** The names of the roles that own what plugins have made begin so. */
export const OWNER_PREFIX = "owner of ";

/**
 * The name of the role that owns what the migrations of a plugin make, by the name of its role. It does not begin as those do: an
 * older version takes each role with their prefix that it does not know for a leftover, and drops what it owns.
 */
export function ownerName(role: string): string {
  return short(OWNER_PREFIX + role);
}

/**
 * Functions that run statements of a plugin: "run" returns rows, "exec" a count; the others do so during a step of a migration, where
 * "step_refer" runs those that make or alter tables, after "step_look" has shown the plugin's functions.
 */
export type FunctionKind = "run" | "exec" | "step_run" | "step_exec" | "step_look" | "step_refer";

/** The name of such a function. */
export function functionName(kind: FunctionKind, plugin: string): string {
  return short(`${kind}:${plugin}`);
}

/** The prefix of the roles of a database. */
export function prefixOf(database: string): string {
  return `lectern:${database}`;
}

/** PostgreSQL would truncate a longer name, and two plugins would share it. */
function short(name: string): string {
  if (Buffer.byteLength(name) <= MAX_BYTES) return name;
  const hash = createHash("sha256").update(name).digest("hex").slice(0, HASH_LENGTH);
  const room = MAX_BYTES - HASH_LENGTH - 1;
  let cut = name.slice(0, room);
  while (Buffer.byteLength(cut) > room) cut = cut.slice(0, -1);
  return `${cut}~${hash}`;
}
