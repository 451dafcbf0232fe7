import { afterAll, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sweepLeftovers } from "./leftovers.ts";

const folder = mkdtempSync(join(tmpdir(), "lectern-leftovers-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** No process has such a number. */
const GONE = 2 ** 30;
const paths = ["a", "b", "c"].map((name) => join(folder, `lectern-tests-${GONE}-${name}`)) as [string, string, string];
const running = join(folder, `lectern-tests-${process.pid}-x`);
const refuses = (code: string) => (path: string) => {
  if (path === paths[0]) throw Object.assign(new Error(code), { code });
  rmSync(path, { recursive: true });
};

test("leftovers of another user's run stay and fail no run", () => {
  for (const path of [...paths, running]) mkdirSync(path);
  sweepLeftovers(folder, refuses("EPERM"));
  expect([...paths, running].map(existsSync)).toEqual([true, false, false, true]);
  sweepLeftovers(folder, refuses("EACCES"));
  expect(() => sweepLeftovers(folder, refuses("EIO"))).toThrow("EIO");
  sweepLeftovers(folder);
  expect(paths.map(existsSync)).toEqual([false, false, false]);
});
