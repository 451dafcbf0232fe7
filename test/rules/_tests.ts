import { posix } from "node:path";
import { importsOf, isTest, type Source } from "./_source.ts";

/** The path a relative import means, or the package's name as written. */
export function targetOf(path: string, specifier: string): string {
  return specifier.startsWith(".") ? posix.join(posix.dirname(path), specifier) : specifier;
}

/** The paths that serve tests alone: tests, what lies in test/, and private files (`_name.ts`) only those import. */
export function testSide(sources: readonly Source[]): ReadonlySet<string> {
  const importers = new Map<string, Set<string>>();
  for (const source of sources)
    for (const { specifier } of importsOf(source)) {
      const target = targetOf(source.path, specifier);
      importers.set(target, (importers.get(target) ?? new Set()).add(source.path));
    }
  const side = new Set(sources.map(({ path }) => path).filter(isTest));
  for (let before = -1; before !== side.size; ) {
    before = side.size;
    for (const { path } of sources)
      if (posix.basename(path).startsWith("_") && [...(importers.get(path) ?? [])].every((from) => side.has(from)))
        side.add(path);
  }
  return side;
}
