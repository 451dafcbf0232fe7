/** The key "isolated" of the "lectern" block of package.json: which entries of "plugins" run isolated, and within which limits. */
import { type Static, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { BootError } from "../errors.ts";
import { closestMatch } from "../std/closest_match.ts";
import { HOUR_MS, MINUTE_MS } from "../std/time.ts";

const limitsSchema = Type.Object(
  {
    /** Milliseconds that a call may take: a request, an event's handler, a job. */
    timeoutMs: Type.Integer({ default: 5_000, minimum: 10, maximum: 10 * MINUTE_MS }),
    /** Milliseconds that the start may take: loading the module, and `setup`. */
    startMs: Type.Integer({ default: 20_000, minimum: 100, maximum: 10 * MINUTE_MS }),
    /** Megabytes of resident memory. */
    memoryMb: Type.Integer({ default: 192, minimum: 96, maximum: 65_536 }),
    /** Megabytes of one message: a request, an answer, the rows of a statement. */
    messageMb: Type.Integer({ default: 4, minimum: 1, maximum: 256 }),
    /** Calls of the plugin to the server at a time. */
    calls: Type.Integer({ default: 32, minimum: 1, maximum: 10_000 }),
    /** The longest pause before the process is started again, in milliseconds. */
    pauseMs: Type.Integer({ default: 30_000, minimum: 0, maximum: HOUR_MS }),
    /** Whether the plugin runs where the kernel cannot confine it. */
    unenforced: Type.Boolean({ default: false }),
  },
  { additionalProperties: false },
);

/** The limits of an isolated plugin. */
export type Limits = Static<typeof limitsSchema>;

/** The key as an operator writes it: a list of entries, or an object with their limits. */
export type IsolatedChoice = readonly string[] | Readonly<Record<string, Partial<Limits>>>;

/** The limits by entry of "plugins". Throws BootError for entries that are not listed, and for limits that do not exist. */
export function isolatedEntries(choice: unknown, lists: readonly string[]): ReadonlyMap<string, Limits> {
  if (choice === undefined) return new Map();
  const isMap = typeof choice === "object" && choice !== null;
  if (!isMap) throw invalid('"isolated" is neither a list nor an object');
  const entries: [string, unknown][] = Array.isArray(choice)
    ? choice.map((entry) => [String(entry), {}])
    : Object.entries(choice);
  return new Map(entries.map(([entry, limits]) => [checkedEntry(entry, lists), limitsOf(entry, limits)]));
}

function checkedEntry(entry: string, lists: readonly string[]): string {
  if (lists.includes(entry)) return entry;
  const near = closestMatch(entry, lists);
  const hint = near === undefined ? "" : `; did you mean "${near}"?`;
  throw invalid(`"isolated" names "${entry}", which is no entry of "plugins"${hint}`);
}

function limitsOf(entry: string, given: unknown): Limits {
  if (typeof given !== "object" || given === null || Array.isArray(given))
    throw invalid(`"isolated" of "${entry}" is no object`);
  const limits = Value.Default(limitsSchema, { ...given });
  const first = Value.Errors(limitsSchema, limits).First();
  if (first) throw invalid(`"isolated" of "${entry}": "${first.path.slice(1)}": ${first.message}`);
  return limits as Limits;
}

function invalid(text: string): BootError {
  return new BootError(`Cannot use the "lectern" block of package.json: ${text}`);
}
