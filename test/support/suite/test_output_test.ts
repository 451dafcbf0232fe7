import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readTestOutput } from "./test_output.ts";

const folder = mkdtempSync(join(tmpdir(), "lectern-output-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What `bun test --parallel` prints of files, read as it comes. */
async function outputOf(files: Record<string, string>) {
  for (const [name, text] of Object.entries(files))
    writeFileSync(join(folder, name), `import { beforeAll, describe, expect, test } from "bun:test";\n${text}`);
  const child = Bun.spawn(
    [
      process.execPath,
      "test",
      "--parallel=2",
      "--no-isolate",
      "--timeout=300",
      ...Object.keys(files).map((name) => `./${name}`),
    ],
    { cwd: folder, stdin: "ignore", stdout: "ignore", stderr: "pipe" },
  );
  const shown: string[] = [];
  const output = readTestOutput({
    root: realpathSync(folder),
    show: (text) => void shown.push(text),
    repeatOf: (path, title) => `repeat ${path} ${title ?? "whole"}`,
  });
  for await (const chunk of child.stderr) output.push(new TextDecoder().decode(chunk));
  output.end();
  return { shown: shown.join(""), counts: output.counts };
}

test("a failure is shown with its error and the command that repeats it, and a file that passes is not", async () => {
  const { shown, counts } = await outputOf({
    "mixed_test.ts": `
      test("passes", () => {});
      test.skip("left out", () => {});
      describe("a group", () => test("that costs $1 (a lot)", () => {
        expect("found").toBe("wanted");
      }));`,
    "quiet_test.ts": `test("passes too", () => console.error("noise of a passing file"));`,
    "late_test.ts": `test("never ends", () => new Promise(() => {}));`,
  });
  expect(counts).toEqual({ passed: 2, failed: 2, skipped: 1 });
  expect(shown).not.toContain("noise of a passing file");
  expect(shown).toContain("mixed_test.ts\n");
  expect(shown).toContain('Expected: "wanted"');
  expect(shown).toContain("again: repeat mixed_test.ts ^a group.+that costs \\$1 \\(a lot\\)$");
  expect(shown).toContain("again: repeat late_test.ts ^never ends$");
  expect(shown).toContain("timed out after 300ms");
});

test("errors at loading and in hooks, and processes that end, are failures", async () => {
  const { shown, counts } = await outputOf({
    "loading_test.ts": `test("is found", () => {}); throw new Error("at loading");`,
    "hook_test.ts": `beforeAll(() => { throw new Error("in a hook"); }); test("after a hook", () => {});`,
    "ends_test.ts": `test("ends its process", () => process.exit(3));`,
    "last_test.ts": `test("runs after them", () => {});`,
  });
  expect(counts.failed).toBeGreaterThanOrEqual(3);
  expect(shown).toContain("error: at loading");
  expect(shown).toContain("again: repeat loading_test.ts whole");
  expect(shown).toContain("error: in a hook");
  expect(shown).toContain("again: repeat hook_test.ts whole");
  expect(shown).toContain("✗ ends_test.ts (worker crashed: exit code 3)");
  expect(shown).toContain("again: repeat ends_test.ts whole");
  expect(shown).not.toContain("last_test.ts");
});
