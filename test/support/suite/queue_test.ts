import { expect, test } from "bun:test";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { until } from "../harness/until.ts";
import { startQueue } from "./queue.ts";
import { ROOT } from "./test_files.ts";

test("a queue that is stopped leaves no process of its workers behind", async () => {
  const folder = mkdtempSync(join(tmpdir(), "lectern-queue-"));
  try {
    const files = ["a", "b"].map((name) => {
      const pid = `await Bun.write(${JSON.stringify(join(folder, name))}, String(process.pid))`;
      const path = join(folder, `${name}_test.ts`);
      writeFileSync(
        path,
        `import { test } from "bun:test";\ntest("${name}", async () => { ${pid}; await new Promise(() => {}); });\n`,
      );
      return relative(ROOT, path);
    });
    const queue = startQueue({
      title: "stopped",
      files,
      workers: 2,
      env: {},
      args: [],
      timings: {},
      seed: 1,
      folder,
      show: () => {},
      repeatOf: () => "",
    });
    const pids = await Promise.all(
      ["a", "b"].map((name) =>
        until(() => existsSync(join(folder, name)) && Number(readFileSync(join(folder, name), "utf8"))),
      ),
    );
    await queue.stop();
    for (const pid of pids) await until(() => !isRunning(Number(pid)));
    expect((await queue.done).counts.passed).toBe(0);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    // It has ended.
    return false;
  }
}
