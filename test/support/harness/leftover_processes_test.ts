import { expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { endLeftovers } from "./leftover_processes.ts";
import { until } from "./until.ts";

test("processes that work below a folder, or keep their files there, are ended", async () => {
  const folder = mkdtempSync(join(tmpdir(), "lectern-leftovers-"));
  const sleep = (cwd: string, temporary: string) =>
    Bun.spawn(["sleep", "60"], { cwd, env: { ...process.env, TMPDIR: temporary }, detached: true });
  const left = [sleep(folder, tmpdir()), sleep(tmpdir(), folder), sleep(tmpdir(), join(folder, "of_one_file"))];
  const other = sleep(tmpdir(), `${folder}_of_others`);
  // A busy machine gives the processor to others between the start of a program and the moment its environment can be read.
  for (const { pid } of [...left, other]) await until(() => readFileSync(`/proc/${pid}/environ`).length > 0);
  await endLeftovers(folder);
  expect(await Promise.all(left.map(({ exited }) => exited))).toEqual([137, 137, 137]);
  expect(other.exitCode).toBeNull();
  other.kill();
  rmSync(folder, { recursive: true });
});
