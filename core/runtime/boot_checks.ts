/**
 * Checks after all plugins are set up: the tables, columns and events that they name exist, since each of them would fail or be ignored
 * only when it is used; events that they list as their own are not those of shipped plugins, nor in the form of these. What a boot can
 * check before it changes anything is in `composition_checks.ts`, what plugins may register in `power_checks.ts`.
 */
import { type Db, firstMissingTable, missingColumns, type TableName } from "../../db/mod.ts";
import { BootError } from "../errors.ts";
import { CORE_EVENTS, type EventBus } from "../events/event_bus.ts";
import type { Log } from "../log.ts";
import { closestMatch, isMisspelt } from "../std/closest_match.ts";
import { leftOut, type ShippedPlugins, tableHint } from "./left_out.ts";
import type { AnyPlugin } from "./plugin.ts";
import { closestTable } from "./table_owners.ts";

/** Checks that each granted table exists: else its name is misspelt, or the plugin that creates it is missing. Throws BootError. */
export async function checkTables(plugins: readonly AnyPlugin[], db: Db, shipped: ShippedPlugins = []): Promise<void> {
  const wanted = plugins.flatMap(({ name, grants: { read = [], write = [], columns = {} }, optionalTables }) =>
    [...read, ...write, ...(Object.keys(columns) as TableName[])]
      .filter((table) => !optionalTables.includes(table))
      .map((table) => ({ name, table })),
  );
  const first = await firstMissingTable(db, wanted);
  if (!first) return checkColumns(plugins, db);
  const hint = tableHint(first.table, plugins, shipped) || (await closestTable(first.table, db));
  throw new BootError(`The plugin "${first.name}" needs the table "${first.table}", which no plugin creates${hint}`);
}

/** Checks that each column that is granted by itself exists, in those of their tables that exist. Throws BootError. */
async function checkColumns(plugins: readonly AnyPlugin[], db: Db): Promise<void> {
  const columnsOf = ({ grants }: AnyPlugin): Readonly<Record<string, readonly string[]>> => grants.columns ?? {};
  const absent = await missingColumns(db, plugins.map(columnsOf));
  for (const plugin of plugins) {
    const { name, optionalTables } = plugin;
    const columns = columnsOf(plugin);
    const missing = absent.filter(({ table, column }) => columns[table]?.includes(column));
    // Of an optional table that is absent every column is missing.
    const wrong = missing.find(
      ({ table }) =>
        !optionalTables.some((optional) => optional === table) ||
        missing.filter((one) => one.table === table).length < (columns[table]?.length ?? 0),
    );
    if (wrong)
      throw new BootError(
        `The plugin "${name}" needs the column "${wrong.column}" of "${wrong.table}", which does not exist: "columns" of its grants names it`,
      );
  }
}

/** The events of shipped plugins that a plugin which does not ship lists in `events`, to perform them. */
export function performedOf(
  plugin: AnyPlugin,
  plugins: readonly AnyPlugin[],
  shipped: ShippedPlugins,
): readonly string[] {
  if (plugin.events.length === 0 || shipped.includes(plugin)) return [];
  const others = [...shipped].filter(({ name }) => name !== plugin.name && plugins.some((one) => one.name === name));
  const known = new Set<string>(others.flatMap(({ events }) => events));
  return plugin.events.filter((event) => known.has(event)).sort();
}

/** Checks the forms of the events of plugins that do not ship. Throws BootError. */
export function checkEvents(plugins: readonly AnyPlugin[], shipped: ShippedPlugins): void {
  for (const plugin of plugins) if (!shipped.includes(plugin)) checkForms(plugin, plugins, shipped);
}

/**
 * Refuses an event such as "book_move", which no plugin has listed, where shipped plugins list others of books and others that end in
 * "move": those who handle events by the form of their names would take it for a move of a book. Throws BootError.
 */
function checkForms({ name, events }: AnyPlugin, plugins: readonly AnyPlugin[], shipped: ShippedPlugins): void {
  if (events.length === 0) return;
  const known = [...shipped].flatMap((one) => one.events.map((event) => ({ event: event as string, owner: one.name })));
  const isKnown = new Set(known.map(({ event }) => event));
  const verbs = new Set(known.map(({ event }) => formOf(event).verb));
  for (const event of events) {
    const { subject, verb } = formOf(event);
    const owner = known.find(
      (one) =>
        formOf(one.event).subject === subject && one.owner !== name && plugins.some((each) => each.name === one.owner),
    )?.owner;
    if (owner === undefined || isKnown.has(event) || !verbs.has(verb)) continue;
    throw new BootError(
      `The plugin "${name}" lists "${event}" in "events", which has the form of an event of "${owner}": others would take it for one about a ${subject}; ` +
        "wanted another name, such as one that begins with the name of the plugin",
    );
  }
}

/** "api_token_create": what it is about, and what happens to it. */
function formOf(event: string): { readonly subject: string; readonly verb: string } {
  const at = event.lastIndexOf("_");
  return { subject: event.slice(0, Math.max(at, 0)), verb: event.slice(at + 1) };
}

/**
 * Checks the names of events that have handlers. Throws BootError for one that is most likely misspelt. Warns of others that no plugin
 * performs: the plugin of the event may not be installed. Says of those of a left-out plugin, in one line, that they never run.
 */
export function checkHandledEvents(
  bus: EventBus,
  plugins: readonly AnyPlugin[],
  { shipped, log }: { readonly shipped: ShippedPlugins; readonly log: Log },
): void {
  const performed = plugins.flatMap(({ events }) => events);
  const unperformed = bus.withoutPerformer(performed);
  if (unperformed.length === 0) return;
  const absent = leftOut(plugins, shipped);
  for (const { name, events } of absent) {
    const handled = events.filter((event) => unperformed.some((one) => one.event === event));
    if (handled.length > 0)
      log.info("Plugins handle events of a plugin that is left out; these never happen", {
        plugin: name,
        events: handled,
      });
  }
  const known: readonly string[] = absent.flatMap(({ events }) => events);
  for (const { event, plugins: handling } of unperformed.filter((each) => !known.includes(each.event))) {
    const names = [...CORE_EVENTS, ...performed, ...known];
    const meant = names.find((name) => isMisspelt(event, name));
    if (meant !== undefined)
      throw new BootError(
        `The plugin "${handling[0]}" handles the event "${event}", which no plugin performs; did you mean "${meant}"?`,
      );
    const closest = closestMatch(event, names);
    log.warn("A plugin handles an event that no plugin performs; is its name right?", {
      ...{ event, plugins: handling },
      ...(closest !== undefined && { closest }),
    });
  }
}
