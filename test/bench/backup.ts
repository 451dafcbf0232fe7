/**
 * Time and memory of `backup`, `backup --verify` and `restore` over an embedded store with rows and files of the given size, which
 * cannot be compressed. Run: bun test/bench/backup.ts [megabytes of rows] [megabytes of files]
 */
import { mkdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { openStore } from "lectern/db";
import { CLI } from "../support/harness/command.ts";
import { dataFolder } from "../support/harness/program.ts";

const [rowMegabytes = 200, fileMegabytes = 200] = process.argv.slice(2).map(Number);
const FILE_MEGABYTES = 20;
const root = dataFolder();
const archive = join(root.path, "bench.tar.zst");

/** Runs a command; prints its time and the most memory that its process had. */
async function measure(args: readonly string[], dataDir: string): Promise<void> {
  const started = performance.now();
  const child = Bun.spawn([process.execPath, CLI, ...args], {
    env: { ...process.env, DATABASE_URL: "", DATA_DIR: dataDir },
    stdout: "ignore",
    stderr: "inherit",
  });
  const code = await child.exited;
  const memory = Math.round((child.resourceUsage()?.maxRSS ?? 0) / 1024 / 1024);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  process.stdout.write(
    `${args[0]} ${args[1] === "--verify" ? "--verify" : ""}: exit ${code}, ${seconds} s, at most ${memory} MB\n`,
  );
}

const source = join(root.path, "source");
const target = join(root.path, "target");
mkdirSync(source);
mkdirSync(target);
try {
  const store = await openStore({ dataDir: source });
  await store.sql`create schema lectern_ledger`;
  await store.sql`create table filler (id integer primary key generated always as identity, body text not null)`;
  // A kilobyte a row: 32 hashes of 32 characters.
  await store.sql`insert into filler (body) select string_agg(md5(random()::text), '') from generate_series(1, ${rowMegabytes * 1024}::int) n,
    generate_series(1, 32) group by n`;
  await store.close();
  const chunk = new Uint8Array(FILE_MEGABYTES * 1024 * 1024);
  mkdirSync(join(source, "files", "bench"), { recursive: true });
  for (let n = 0; n * FILE_MEGABYTES < fileMegabytes; n++) {
    for (let at = 0; at < chunk.length; at += 65_536) crypto.getRandomValues(chunk.subarray(at, at + 65_536));
    await Bun.write(join(source, "files", "bench", `${n}.bin`), chunk);
  }
  await measure(["backup", archive], source);
  process.stdout.write(`archive: ${Math.round(statSync(archive).size / 1024 / 1024)} MB\n`);
  await measure(["backup", "--verify", archive], source);
  await measure(["restore", archive], target);
} finally {
  root.remove();
  rmSync(archive, { force: true });
}
