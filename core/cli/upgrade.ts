/**
 * `upgrade FILE`: makes a backup, then installs another version of the package by npm in the operator's folder. It does not
 * touch the store: the next start migrates it, or refuses with the version to start in between. Interrupted at any moment, it
 * leaves the backup and one of the two versions, as `npm install` does.
 */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { INSTALL_ROOT } from "../install_root.ts";
import type { CommandIo } from "../runtime/command.ts";
import { isPackaged, programName } from "../runtime/program_name.ts";
import { isVersion } from "../runtime/versions.ts";

/**
 * The name under which npm's registry has Lectern; undefined as long as there is none, since anybody could take it. The installed
 * package is called "lectern" in any case. `.github/RELEASING.md` says how a name is taken.
 */
const PUBLISHED_NAME: string | undefined = undefined;

/** The form of `upgrade`. */
export const UPGRADE_USAGE = "[VERSION | FILE.tgz] [--no-backup]";
const NO_BACKUP = "--no-backup";

/** What the command works with. */
export interface UpgradeParts {
  /** Makes a backup. Returns the exit code; undefined if there is no store yet. */
  backup(): Promise<number | undefined>;
  /** Installs a package by npm. Returns an error, or undefined. */
  readonly install?: (spec: string) => string | undefined;
  /** The folder of the package. */
  readonly root?: string;
  /** Its name in npm's registry. */
  readonly published?: string | undefined;
}

/** Returns the exit code. Nothing is installed if the backup fails. */
export async function upgradeCommand(
  io: CommandIo,
  args: readonly string[],
  { backup, install = installByNpm, root = INSTALL_ROOT, published = PUBLISHED_NAME }: UpgradeParts,
): Promise<number> {
  const [wanted = "latest", ...rest] = args.filter((arg) => arg !== NO_BACKUP);
  const isFile = wanted.endsWith(".tgz") && !wanted.startsWith("-");
  if (rest.length > 0 || !(wanted === "latest" || isVersion(wanted) || isFile)) {
    io.err(`Usage: upgrade ${UPGRADE_USAGE}`);
    return 2;
  }
  if (!isPackaged(root)) {
    io.err("Cannot upgrade: npm has not installed this copy of Lectern. Back it up, update the copy and start it");
    return 1;
  }
  if (!isFile && published === undefined) {
    io.err(
      'Cannot upgrade by name: Lectern has no name in the registry of npm, where "lectern" may be anybody\'s package. Name the file of a version: upgrade FILE.tgz',
    );
    return 1;
  }
  const before = versionIn(root);
  if (!args.includes(NO_BACKUP)) {
    const code = await backup();
    if (code !== undefined && code !== 0) {
      io.err(`Cannot upgrade: the backup failed. Nothing was installed (${NO_BACKUP} does without one)`);
      return code;
    }
  }
  const error = install(isFile ? wanted : named(published, wanted));
  if (error !== undefined) {
    io.err(`Cannot upgrade: ${error}`);
    return 1;
  }
  io.out(`Installed Lectern ${versionIn(root)} in place of ${before}. Restart the server, which migrates the store`);
  const former = published === undefined ? `the file of ${before}` : named(published, before);
  io.out(
    `To return, stop the server, run "npm install" of ${former} and "${programName(root)} restore FILE --replace"`,
  );
  return 0;
}

/** A version of the published package, installed as "lectern" whatever its name is. */
function named(published: string | undefined, version: string): string {
  return published === undefined || published === "lectern"
    ? `lectern@${version}`
    : `lectern@npm:${published}@${version}`;
}

function versionIn(root: string): string {
  return (JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string }).version;
}

function installByNpm(spec: string): string | undefined {
  const { error, status } = spawnSync("npm", ["install", "--save-exact", "--no-audit", "--no-fund", spec], {
    stdio: ["ignore", "inherit", "inherit"],
  });
  if (error) return `npm does not run (${error.message})`;
  return status === 0 ? undefined : `npm ended with ${status ?? "a signal"}; the version before is still installed`;
}
