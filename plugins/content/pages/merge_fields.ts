/** Merges the name and the tags of a page that two writers have changed. Tags are merged by name: a name can have several values. */
import type { MergedPart } from "lectern/contracts";
import type { MergedTags } from "./contract.ts";

/** A tag without its order. */
export interface NamedTag {
  readonly name: string;
  readonly value: string;
}

/** The name that only one side changed; a collision where both did, each differently. */
export function mergeNames({ base, mine, theirs }: Record<"base" | "mine" | "theirs", string>): MergedPart {
  if (mine === theirs || theirs === base) return { text: mine };
  return mine === base ? { text: theirs } : { base, mine, theirs };
}

/** The tags of each side; those of the base are undefined where they are not known. */
export interface TagSides {
  readonly base: readonly NamedTag[] | undefined;
  readonly mine: readonly NamedTag[];
  readonly theirs: readonly NamedTag[];
}

/**
 * The values of each tag that is left, in the order of mine, with tags that only the others have after them. Where the base is not
 * known, all tags that differ collide.
 */
export function mergeTags({ base, mine, theirs }: TagSides): MergedTags[] {
  const names = new Set([...mine, ...theirs].map(({ name }) => name));
  const [byMine, byTheirs, byBase] = [valuesByName(mine), valuesByName(theirs), base && valuesByName(base)];
  return [...names].flatMap((name): MergedTags[] => {
    const [own = [], others = [], old = byBase && []] = [byMine.get(name), byTheirs.get(name), byBase?.get(name)];
    const settled = isSame(own, others) || (old && isSame(others, old)) ? own : old && isSame(own, old) && others;
    if (settled) return settled.length > 0 ? [{ name, values: settled }] : [];
    return [{ name, base: old ?? [], mine: own, theirs: others }];
  });
}

function valuesByName(tags: readonly NamedTag[]): ReadonlyMap<string, string[]> {
  return new Map(
    [...Map.groupBy(tags, ({ name }) => name)].map(([name, named]) => [name, named.map(({ value }) => value)]),
  );
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((value, at) => value === other[at]);
}
