/**
 * The layers of core and db: folders in the order in which they may import, types included. A folder imports those before it and
 * itself; what is beside the folders of core, but for its doors, is the layer `root`.
 */
import { importsOf, type Source } from "./_source.ts";
import { targetOf } from "./_tests.ts";

/** A part of the source with its layers, the lowest first. Layers within one list are beside each other. */
export interface Layered {
  readonly place: "core" | "db";
  readonly layers: readonly (readonly string[])[];
  /** Files beside the folders that belong to a layer of their own: the doors that others import. */
  readonly files: Readonly<Record<string, string>>;
}

/** An import of a layer that is not below. */
export interface Upward {
  readonly path: string;
  readonly line: number;
  readonly target: string;
  readonly from: string;
  readonly to: string;
  readonly isType: boolean;
}

/** The layers of core. `cli.ts` starts the program, `mod.ts` and `confined_mod.ts` are what plugins import: they may import everything. */
export const CORE: Layered = {
  place: "core",
  layers: [
    ["std"],
    ["root"],
    ["i18n"],
    ["input"],
    ["validation"],
    ["files"],
    ["children"],
    ["events"],
    ["http"],
    ["resources"],
    ["runtime"],
    ["workers"],
    ["client"],
    ["cli"],
    ["doors"],
  ],
  files: { "core/mod.ts": "doors", "core/confined_mod.ts": "doors", "core/cli.ts": "doors" },
};

/** The layers of db. */
export const DB: Layered = {
  place: "db",
  layers: [["query"], ["connection"], ["grants", "embedded", "replicas", "backup"], ["doors"]],
  files: { "db/mod.ts": "doors", "db/open.ts": "doors", "db/throwaway_store.ts": "doors" },
};

/** The layer of a path; undefined if the path is of another place. */
export function layerOf({ place, files }: Layered, path: string): string | undefined {
  const [top, folder, rest] = path.split("/");
  if (top !== place) return undefined;
  return files[path] ?? (rest === undefined ? "root" : folder);
}

/** Imports of a layer that does not stand before that of the file. A layer that is not in the list stands above all. */
export function upwardImports(layered: Layered, sources: readonly Source[]): Upward[] {
  const rank = (layer: string) => {
    const at = layered.layers.findIndex((beside) => beside.includes(layer));
    return at < 0 ? Number.POSITIVE_INFINITY : at;
  };
  return sources.flatMap((source) => {
    const from = layerOf(layered, source.path);
    if (from === undefined) return [];
    return importsOf(source).flatMap(({ specifier, line, isType }) => {
      const target = targetOf(source.path, specifier);
      const to = layerOf(layered, target);
      if (to === undefined || to === from || rank(to) < rank(from)) return [];
      return [{ path: source.path, line, target, from, to, isType }];
    });
  });
}

/** The largest group of layers of which each reaches each other by imports of values. */
export function largestCycle(layered: Layered, sources: readonly Source[]): readonly string[] {
  const edges = new Map<string, Set<string>>();
  for (const source of sources) {
    const from = layerOf(layered, source.path);
    if (from === undefined || from === "doors") continue;
    for (const { specifier, isType } of importsOf(source)) {
      const to = layerOf(layered, targetOf(source.path, specifier));
      if (!isType && to !== undefined && to !== from) edges.set(from, (edges.get(from) ?? new Set()).add(to));
    }
  }
  const reached = (start: string): Set<string> => {
    const seen = new Set<string>();
    const next = [start];
    for (let one = next.pop(); one !== undefined; one = next.pop())
      for (const to of edges.get(one) ?? [])
        if (!seen.has(to)) {
          seen.add(to);
          next.push(to);
        }
    return seen;
  };
  const reach = new Map([...edges.keys()].map((layer) => [layer, reached(layer)]));
  const groups = [...reach].map(([layer, seen]) => [...seen].filter((other) => reach.get(other)?.has(layer)));
  return groups.sort((a, b) => b.length - a.length)[0]?.sort() ?? [];
}
