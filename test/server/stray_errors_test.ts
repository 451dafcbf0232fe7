/** Errors of plugins outside of any request, and what plugins leave behind, as a server's process sees them. */
import { expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { scaled } from "../support/harness/machine_speed.ts";
import { dataFolder, startProgram } from "../support/harness/program.ts";
import { until } from "../support/harness/until.ts";

setDefaultTimeout(scaled(120_000));

const PLUGIN = `import { definePlugin } from "lectern/core";
export default definePlugin({
  name: "stray",
  setup({ app }) {
    setInterval(() => {}, 1000);
    app.get("/stray", () => {
      void Promise.reject(new Error("nobody awaits this"));
      setTimeout(() => { throw new Error("thrown by a timer"); }, 1);
      return { fine: true };
    }, { permit: "access-api" });
  },
});
`;

test("a rejection that nothing awaits and an error in a timer are logged with their place, and the server goes on and stops", async () => {
  const data = dataFolder("ready");
  const folder = mkdtempSync(join(tmpdir(), "lectern-stray-"));
  const file = join(folder, "stray.ts");
  writeFileSync(file, PLUGIN);
  try {
    const server = await startProgram(data.path, {}, { args: ["serve", "plugins/mod.ts", file] });
    expect(await server.ask("GET", "/api/stray")).toEqual({ status: 200, body: { fine: true } });
    await until(async () => server.output().includes("thrown by a timer"));
    expect((await server.ask("GET", "/api/books")).status).toBe(200);
    for (const text of ["nobody awaits this", "stray.ts:7", "stray.ts:8"]) expect(server.output()).toContain(text);
    server.signal("SIGTERM");
    expect(await server.ended).toBe(0);
  } finally {
    data.remove();
    rmSync(folder, { recursive: true, force: true });
  }
});
