import { pathToFileURL } from "node:url";

/** Registers modules by import name; one without a file is empty. Isolated processes call this before any package can be found. */
export function registerModules(files: Iterable<readonly [name: string, file: string | undefined]>): void {
  const read = async (file: string) => (await import(pathToFileURL(file).href)) as Record<string, unknown>;
  Bun.plugin({
    name: "lectern",
    setup(build) {
      for (const [name, file] of files)
        build.module(name, async () => ({ exports: file === undefined ? {} : await read(file), loader: "object" }));
    },
  });
}
