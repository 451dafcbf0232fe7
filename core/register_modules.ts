/**
 * Registers modules by import name; one without a file is empty. Isolated processes call this before any package can be found. They
 * are read at once, since what imports one may itself be asked for by `require`.
 */
export function registerModules(files: Iterable<readonly [name: string, file: string | undefined]>): void {
  Bun.plugin({
    name: "lectern",
    setup(build) {
      for (const [name, file] of files)
        build.module(name, () => ({
          exports: file === undefined ? {} : (require(file) as Record<string, unknown>),
          loader: "object",
        }));
    },
  });
}
