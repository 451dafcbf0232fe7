/**
 * ZIP files of modules, as authors of themes hand them on: a manifest with the parts of a module, at the top or in one folder. Names
 * and declared sizes are checked before anything is unpacked, and nothing is written here.
 */

import { type Unzipped, unzipSync } from "fflate";
import { BootError } from "lectern/core";
import { MANIFESTS, type Manifest, parseManifest } from "./manifest.ts";

/** Limits of the archive of a module. */
export interface ArchiveLimits {
  /** Bytes of the archive, and of all its files when they are unpacked. */
  readonly maxBytes: number;
  /** Files and folders. */
  readonly maxFiles: number;
}

/** A module in memory. */
export interface ModuleArchive {
  readonly manifest: Manifest;
  /** Content by path, with "/" between names. */
  readonly files: ReadonlyMap<string, Uint8Array>;
}

const MAX_NAME = 200;
/** What macOS adds to archives. */
const IGNORED = /(?:^|\/)(?:__MACOSX\/|\.DS_Store$)/;

/** Reads the archive of a module. `source` is its name in errors. Throws BootError that says what is wrong with it. */
export function readArchive(bytes: Uint8Array, source: string, limits: ArchiveLimits): ModuleArchive {
  const fail = (what: string) => new BootError(`Cannot install the module of "${source}": ${what}`);
  const unpacked = unpack(bytes, limits, fail);
  const paths = Object.keys(unpacked);
  const top = paths.some((path) => MANIFESTS.includes(path)) ? "" : wrappingFolder(paths);
  const manifest = MANIFESTS.map((name) => unpacked[top + name]).find((content) => content !== undefined);
  if (!manifest) throw fail(`it has no ${MANIFESTS.join(" or ")} at its top or in its one folder`);
  return {
    manifest: parseManifest(new TextDecoder().decode(manifest), (what) => fail(`${what} in its manifest`)),
    files: new Map(paths.map((path) => [path.slice(top.length), unpacked[path] as Uint8Array])),
  };
}

/** The files of an archive by path. The sizes that it declares are those of the arrays it is unpacked to. */
function unpack(bytes: Uint8Array, { maxBytes, maxFiles }: ArchiveLimits, fail: (what: string) => BootError): Unzipped {
  let files = 0;
  let size = 0;
  try {
    return unzipSync(bytes, {
      filter({ name, originalSize }) {
        files += 1;
        size += originalSize;
        if (files > maxFiles) throw fail(`it has more than ${maxFiles} files`);
        if (size > maxBytes) throw fail(`it holds more than ${maxBytes} bytes`);
        if (!isSafe(name)) throw fail(`the name ${JSON.stringify(name)} of an entry is not allowed`);
        return !name.endsWith("/") && !IGNORED.test(name);
      },
    });
  } catch (cause) {
    if (cause instanceof BootError) throw cause;
    throw fail(`it is no readable ZIP file (${cause instanceof Error ? cause.message : String(cause)})`);
  }
}

/** Whether a path of an archive stays below the folder that it is unpacked to, on every system. */
function isSafe(path: string): boolean {
  const hasOddCharacter = [...path].some((each) => each < " " || each === "\u007f" || each === "\\" || each === ":");
  const names = path.replace(/\/$/, "").split("/");
  return path.length <= MAX_NAME && !hasOddCharacter && !names.some((name) => /^\.{0,2}$/.test(name));
}

/** The one folder that all files are in, with its "/"; "" where there are several. */
function wrappingFolder(paths: readonly string[]): string {
  const [first = ""] = paths;
  const folder = first.slice(0, first.indexOf("/") + 1);
  return paths.every((path) => path.startsWith(folder)) ? folder : "";
}
