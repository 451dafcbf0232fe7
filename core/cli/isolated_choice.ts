/** The key "isolated" of the "lectern" block of package.json: which entries of "plugins" are loaded elsewhere, and how. */
import { invalidBlock } from "../runtime/operator_choices.ts";
import { closestMatch } from "../std/closest_match.ts";

type Options = Readonly<Record<string, unknown>>;

/** The key as an operator writes it: a list of entries, or an object with what the plugin that loads them is told, such as limits. */
export type IsolatedChoice = readonly string[] | Readonly<Record<string, Options>>;

/** What is said of each isolated entry. Throws BootError for entries that are not listed. */
export function isolatedEntries(choice: unknown, lists: readonly string[]): ReadonlyMap<string, Options> {
  if (choice === undefined) return new Map();
  const isMap = typeof choice === "object" && choice !== null;
  if (!isMap) throw invalidBlock('"isolated" is neither a list nor an object');
  const entries: [string, unknown][] = Array.isArray(choice)
    ? choice.map((entry) => [String(entry), {}])
    : Object.entries(choice);
  return new Map(entries.map(([entry, options]) => [checkedEntry(entry, lists), checkedOptions(entry, options)]));
}

function checkedEntry(entry: string, lists: readonly string[]): string {
  if (lists.includes(entry)) return entry;
  const near = closestMatch(entry, lists);
  const hint = near === undefined ? "" : `; did you mean "${near}"?`;
  throw invalidBlock(`"isolated" names "${entry}", which is no entry of "plugins"${hint}`);
}

function checkedOptions(entry: string, options: unknown): Options {
  if (typeof options !== "object" || options === null || Array.isArray(options))
    throw invalidBlock(`"isolated" of "${entry}" is no object`);
  return { ...options };
}
