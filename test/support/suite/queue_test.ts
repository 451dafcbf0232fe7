import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { startQueue } from "./queue.ts";
import { ROOT } from "./test_files.ts";

const folder = realpathSync(mkdtempSync(join(tmpdir(), "lectern-queue-")));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What a queue of such files shows and counts. */
async function ran(files: Record<string, string>) {
  for (const [name, text] of Object.entries(files))
    writeFileSync(join(folder, name), `import { expect, test } from "bun:test";\n${text}`);
  const shown: string[] = [];
  const queue = startQueue({
    title: "some",
    files: Object.keys(files).map((name) => relative(ROOT, join(folder, name))),
    workers: 2,
    env: {},
    args: [],
    timings: {},
    seed: 1,
    folder: mkdtempSync(join(folder, "own-")),
    show: (text) => void shown.push(text),
    repeatOf: (path) => `repeat ${path.split("/").at(-1)}`,
  });
  const { counts } = await queue.done;
  return { shown: shown.join(""), counts };
}

const PASSING = 'test("passes", () => expect(1).toBe(1));\n';

test("a file that ends its process with 0 fails, alone as among others", async () => {
  const ends = `${PASSING}test("ends", () => process.exit(0));\ntest("never runs", () => {});`;
  const alone = await ran({ "ends_test.ts": ends });
  expect(alone.counts).toEqual({ passed: 1, failed: 1, skipped: 0 });
  expect(alone.shown).toContain("(fail) has not run to its end\n  again: repeat ends_test.ts\n");
  const among = await ran({ "ends_test.ts": ends, "passing_test.ts": PASSING });
  expect(among.counts.failed).toBe(1);
  expect(among.shown).toContain("again: repeat ends_test.ts\n");
});

test("files that end count as such, with and without tests", async () => {
  const { shown, counts } = await ran({ "passing_test.ts": PASSING, "empty_test.ts": "export {};" });
  expect({ shown, counts }).toEqual({ shown: "", counts: { passed: 1, failed: 0, skipped: 0 } });
});
