/** Manifests of modules (platform 11.5). */
import type { BootError } from "lectern/core";
import { isObject } from "lectern/db";

/** File names of manifests; the second one is that of the original. */
export const MANIFESTS: readonly string[] = ["module.json", "bookstack-module.json"];
const VERSION = /^v?\d+\.\d+\.\d+(?:-.*)?$/;

/** What a manifest says. */
export interface Manifest {
  readonly name: string;
  readonly description: string;
  /** Such as "v1.2.3". */
  readonly version: string;
}

/** Parses the text of a manifest. Throws what `fail` makes of the text about what is wrong. */
export function parseManifest(json: string, fail: (what: string) => BootError): Manifest {
  let manifest: unknown;
  try {
    manifest = JSON.parse(json);
  } catch (cause) {
    throw fail(`found invalid JSON (${cause instanceof Error ? cause.message : String(cause)})`);
  }
  const text = (field: keyof Manifest): string => {
    const value = isObject(manifest) ? manifest[field] : undefined;
    if (typeof value !== "string" || value.trim() === "") throw fail(`wanted a text "${field}"`);
    return value.trim();
  };
  const read = { name: text("name"), description: text("description"), version: text("version") };
  if (!VERSION.test(read.version)) throw fail(`wanted a "version" such as "v1.2.3", found "${read.version}"`);
  return read;
}
