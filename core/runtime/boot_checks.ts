import { sql } from "kysely";
import { type Db, rows } from "../../db/mod.ts";
import { BootError } from "../errors.ts";
import type { Gates } from "../http/server.ts";
import type { AnyPlugin } from "./plugin.ts";

/** A permission that no plugin adds can be given to no role, so its route would refuse everybody. Throws BootError. */
export function checkPermits(plugins: readonly AnyPlugin[], gates: Gates): void {
  const known = new Set<string>(["public", "access-api", ...plugins.flatMap(({ adds }) => adds)]);
  const wrong = gates.routes().find(({ permit }) => !known.has(permit ?? ""));
  if (wrong)
    throw new BootError(
      `${wrong.method} ${wrong.path} asks for the permission "${wrong.permit}", which no plugin adds`,
    );
}

/** A grant over a table that is not there is a slip, or the plugin that makes it is missing. Throws BootError. */
export async function checkTables(plugins: readonly AnyPlugin[], db: Db): Promise<void> {
  const wanted = plugins.flatMap(({ name, permissions: { read = [], write = [] } }) =>
    [...read, ...write].map((table) => ({ name, table })),
  );
  const missing = await rows<{ name: string; table: string }>(
    db,
    sql`select wanted.* from jsonb_to_recordset(${JSON.stringify(wanted)}::text::jsonb) as wanted(name text, "table" text)
      where to_regclass(quote_ident(wanted."table")) is null limit 1`,
  );
  const [first] = missing;
  if (first)
    throw new BootError(`The plugin "${first.name}" wants the table "${first.table}", which no plugin has made`);
}

/** A router that cannot be built would fail every request, whatever it asks for. Throws BootError. */
export function compile(gates: Gates): void {
  try {
    gates.compile();
  } catch (cause) {
    const text = cause instanceof Error ? cause.message : String(cause);
    throw new BootError(`Cannot tell the routes of the plugins apart: ${text}`, { cause });
  }
}
