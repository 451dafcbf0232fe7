import type { ChildTask } from "lectern/core";
import { type BundledPackage, licenceComment } from "./bundle_sources.ts";

/** A browser module to bundle, with the packages that it imports. */
export interface BundleTask {
  readonly entry: string;
  readonly packages: readonly BundledPackage[];
}

/** Tasks of child processes, by name; in a file of their own, as what decorates content takes long to load. */
export const tasks = { bundle } satisfies Record<string, ChildTask>;

/** The minified script of a module with all that it imports, below the licences of the packages. Rejects where it cannot be made. */
async function bundle({ entry, packages }: BundleTask): Promise<string> {
  const { success, outputs, logs } = await Bun.build({
    entrypoints: [entry],
    target: "browser",
    format: "iife",
    minify: true,
    define: { "process.env.NODE_ENV": '"production"' },
    throw: false,
  });
  const [made] = outputs;
  if (!success || !made) throw new Error(`Cannot bundle "${entry}":\n${logs.join("\n")}`);
  return `${packages.length > 0 ? licenceComment(packages) : ""}${await made.text()}`;
}
