/**
 * What an isolated plugin costs: its start, its memory, and a round trip of a route's call, by the size of the answer.
 * `bun test/bench/isolated.ts`
 */
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { limitsOf } from "../../plugins/operations/isolation/limits.ts";
import { loadIsolated } from "../../plugins/operations/isolation/load_isolated.ts";

const CALLS = 5_000;
const print = (line: string) => void process.stdout.write(`${line}\n`);
const folder = realpathSync(mkdtempSync(join(tmpdir(), "lectern-bench-")));
const file = join(folder, "plugin.ts");
writeFileSync(
  file,
  `import { definePlugin } from "lectern/core";
   const answers = [100, 20_000].map((length) => ({ text: "x".repeat(length) }));
   export default definePlugin({ name: "bench", setup({ app }) {
     app.get("/small", () => answers[0], { permit: "public" });
     app.get("/large", () => answers[1], { permit: "public" });
   } });`,
);
const limits = limitsOf("bench", { unenforced: true });
const viewer = { id: 1, name: "A", slug: "a", roles: [1], permissions: ["access-api"], admin: false, via: "token" };
const request = { method: "GET", path: "/", params: {}, query: {}, nestedQuery: {}, input: {}, body: {} };

const started = performance.now();
const { plugin, host } = await loadIsolated({ entry: "bench", file, limits, operator: tmpdir() });
const loaded = performance.now() - started;
const facts = { settings: {}, env: {}, baseUrl: "", language: "en", theme: "" };
await host.attach({ setUp: async (call) => void (await call("setup", facts)), ended() {} });
print(
  `${plugin.isolated?.how}; start ${loaded.toFixed(0)} ms, with setup ${(performance.now() - started).toFixed(0)} ms`,
);
for (const [index, size] of ["100 B", "20 KB"].entries()) {
  const times: number[] = [];
  for (let call = 0; call < CALLS; call++) {
    const before = performance.now();
    await host.call("route", { index, args: [request, viewer] });
    times.push(performance.now() - before);
  }
  times.sort((one, other) => one - other);
  const at = (share: number) => times[Math.floor(share * CALLS)]?.toFixed(3);
  print(`round trip of ${size}: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`);
}
const status = readFileSync(`/proc/${host.pid}/status`, "utf8");
print(`memory: ${/VmRSS:\s+(\d+ kB)/.exec(status)?.[1]}, threads: ${/Threads:\s+(\d+)/.exec(status)?.[1]}`);
await host.stop();
rmSync(folder, { recursive: true });
