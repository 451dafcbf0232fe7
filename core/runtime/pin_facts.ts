/**
 * What a pin has of a plugin beside its grants: names of what it declares, and its migrations by name with a hash of their source. A
 * step that was accepted and has changed since would run something else on a store where it has not run yet.
 */
import { createHash } from "node:crypto";
import { hostSettings } from "./granted_hosts.ts";
import type { AnyPlugin } from "./plugin.ts";
import type { Recorded } from "./recorded.ts";

/** Facts of a plugin, lists sorted. All are there, or none in a pin of version 1. */
export interface PinFacts {
  /** Contracts that it requires or uses. */
  readonly contracts?: readonly string[];
  readonly provides?: readonly string[];
  readonly events?: readonly string[];
  /** Permissions that it adds. */
  readonly adds?: readonly string[];
  readonly commands?: readonly string[];
  /** Defaults of the settings that `net` names, which grant their hosts. */
  readonly hosts?: readonly string[];
  /** A hash of the source of `syncSchema`. */
  readonly syncSchema?: readonly string[];
  /** Hashes of the steps of its migrations, by name. */
  readonly migrations?: Readonly<Record<string, string>>;
}

const LISTS = ["contracts", "provides", "events", "adds", "commands", "hosts", "syncSchema"] as const;
/** Those that pins of earlier versions do not have, which are then not compared. */
const LATER: readonly string[] = ["hosts", "syncSchema"];
/** Digits of a hash, of four bits each. */
const HASH_DIGITS = 16;

/** The facts of a plugin; `performs` are the events of others among its events. */
export function factsOf(plugin: AnyPlugin, performs: Recorded["performs"] = []): Required<PinFacts> {
  const { requires, uses, provides, events, permissions, commands, migrations, syncSchema } = plugin;
  const sorted = (names: readonly string[]) => [...new Set(names)].sort();
  return {
    contracts: sorted([...requires, ...uses]),
    provides: sorted(provides),
    events: sorted(events.filter((event) => !performs.includes(event))),
    adds: sorted(permissions),
    commands: sorted(Object.keys(commands)),
    hosts: sorted(defaultHosts(plugin)),
    syncSchema: syncSchema ? [digestOf(sourceOf(syncSchema))] : [],
    migrations: Object.fromEntries(Object.entries(migrations).map(([name, step]) => [name, hashOf(step, plugin)])),
  };
}

/** Whether a pin has facts; those of version 1 have none. */
export function hasFacts(pin: PinFacts): boolean {
  return pin.migrations !== undefined;
}

/** A pin without its facts. */
export function withoutFacts<Pinned>(pin: Pinned): Omit<Pinned, keyof PinFacts> {
  if (typeof pin !== "object" || pin === null || Array.isArray(pin)) return pin;
  const {
    contracts: _c,
    provides: _p,
    events: _e,
    adds: _a,
    commands: _o,
    hosts: _h,
    syncSchema: _s,
    migrations: _m,
    ...grants
  } = pin as Pinned & PinFacts;
  return grants as Omit<Pinned, keyof PinFacts>;
}

/** Accepted facts with the present hashes of what has not changed: those of earlier pins are of sources without any white space. */
export function renewed<Accepted extends PinFacts>(
  accepted: Accepted,
  { migrations, syncSchema, isolated }: AnyPlugin,
): Accepted {
  const steps = Object.entries(accepted.migrations ?? {}).map(([name, hash]) => {
    const step = Object.hasOwn(migrations, name) ? migrations[name] : undefined;
    return [name, step && !isolated && hash === hashOf(step, {}, withoutSpace) ? hashOf(step, {}) : hash];
  });
  const known = syncSchema && accepted.syncSchema?.includes(digestOf(withoutSpace(syncSchema)));
  return {
    ...accepted,
    ...(accepted.migrations && { migrations: Object.fromEntries(steps) }),
    ...(known && { syncSchema: [...(accepted.syncSchema ?? []), digestOf(sourceOf(syncSchema))] }),
  };
}

/** The facts beyond those that were accepted, one line for each kind. */
export function beyondFacts(facts: Required<PinFacts>, accepted: PinFacts): string[] {
  const { migrations = {} } = accepted;
  const steps = Object.entries(facts.migrations).flatMap(([name, hash]) => {
    if (!Object.hasOwn(migrations, name)) return [name];
    return migrations[name] === hash ? [] : [`${name} (changed)`];
  });
  const lists = LISTS.map((kind) => {
    if (accepted[kind] === undefined && LATER.includes(kind)) return [kind, []] as const;
    const known: readonly string[] = accepted[kind] ?? [];
    return [kind, facts[kind].filter((name) => !known.includes(name))] as const;
  });
  return [...lists, ["migrations", steps] as const].flatMap(([kind, more]) =>
    more.length === 0 ? [] : [`+ ${kind}: ${more.join(", ")}`],
  );
}

/** What is wrong with the shape of the facts of a pin, as the end of a sentence; undefined if nothing is. */
export function factsProblem(pin: PinFacts): string | undefined {
  const isList = (value: unknown) => Array.isArray(value) && value.every((name) => typeof name === "string");
  const wrong = LISTS.find((kind) => pin[kind] !== undefined && !isList(pin[kind]));
  if (wrong !== undefined) return `has another value for "${wrong}" than a list of names`;
  const { migrations = {} } = pin as { migrations?: unknown };
  const isHashes =
    typeof migrations === "object" &&
    migrations !== null &&
    !Array.isArray(migrations) &&
    Object.values(migrations).every((hash) => typeof hash === "string");
  return isHashes ? undefined : 'has another value for "migrations" than an object of steps with their hashes';
}

/** A hash of the source of a step. That of an isolated plugin is not known in the server. */
function hashOf(
  step: AnyPlugin["migrations"][string],
  { isolated }: Pick<AnyPlugin, "isolated">,
  read: typeof sourceOf = sourceOf,
): string {
  if (isolated) return "isolated";
  return digestOf(`${read(step)}${step.removes ?? ""}`);
}

/** The source of a function, however it is indented. Ends of lines count, since they end comments of SQL. */
function sourceOf(code: (...given: never[]) => unknown): string {
  // A step may have a "toString" of its own.
  const source = Function.prototype.toString.call(code);
  return source.replace(/\s+/g, (space) => (space.includes("\n") ? "\n" : " "));
}

function withoutSpace(code: (...given: never[]) => unknown): string {
  return sourceOf(code).replace(/\s+/g, "");
}

function digestOf(source: string): string {
  return createHash("sha256").update(source).digest("hex").slice(0, HASH_DIGITS);
}

function defaultHosts({ grants, settings }: AnyPlugin): string[] {
  return hostSettings(grants).flatMap((name) => {
    const value: unknown = settings?.properties[name]?.default;
    return value === undefined || value === "" ? [] : [String(value)];
  });
}
