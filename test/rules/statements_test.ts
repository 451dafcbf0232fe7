import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { FILE } from "./_statements.ts";

/** In a process of its own: the modules of other tests prepare statements too. */
test("the reviewed file has the SQL of every prepared statement; `bun test/rules/_statements.ts` writes it", async () => {
  const child = Bun.spawn([process.execPath, "test/rules/_statements.ts", "print"], { stdout: "pipe" });
  expect(await new Response(child.stdout).text()).toBe(readFileSync(FILE, "utf8"));
});
