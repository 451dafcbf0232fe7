import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { endLeftovers } from "./leftover_processes.ts";

test("processes that work below a folder, or keep their files there, are ended", async () => {
  const folder = mkdtempSync(join(tmpdir(), "lectern-leftovers-"));
  const sleep = (cwd: string, temporary: string) =>
    Bun.spawn(["sleep", "60"], { cwd, env: { ...process.env, TMPDIR: temporary }, detached: true });
  const left = [sleep(folder, tmpdir()), sleep(tmpdir(), folder), sleep(tmpdir(), join(folder, "of_one_file"))];
  const other = sleep(tmpdir(), `${folder}_of_others`);
  await endLeftovers(folder);
  expect(await Promise.all(left.map(({ exited }) => exited))).toEqual([137, 137, 137]);
  expect(other.exitCode).toBeNull();
  other.kill();
  rmSync(folder, { recursive: true });
});
