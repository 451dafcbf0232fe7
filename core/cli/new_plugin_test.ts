import { afterAll, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { definePlugin } from "../runtime/plugin.ts";
import { newPlugin } from "./new_plugin.ts";

const folder = mkdtempSync(join(tmpdir(), "lectern-new-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const plugins = [definePlugin({ name: "library-books", grants: { write: ["books"], read: ["users"] }, setup() {} })];

async function run(name: string): Promise<[number, string]> {
  const errors: string[] = [];
  const io = { out: () => {}, err: (line: string) => void errors.push(line), env: {}, columns: 80, tty: false };
  return [await newPlugin(io, ["plugin", name], plugins, folder), errors.join()];
}

test.each([
  ["books", '"library-books" uses a table of that name'],
  ["users", '"library-books" uses a table of that name'],
  ["library_books", "a plugin has that name"],
])("%s is taken, so nothing is written", async (name, reason) => {
  expect(await run(name)).toEqual([1, `Cannot write the plugin "${name}": ${reason}; choose another name`]);
  expect(existsSync(join(folder, name))).toBe(false);
});

test.each(["user", "select", "order", "kudos"])(
  "%s is written, its table quoted wherever SQL names it",
  async (name) => {
    expect(await run(name)).toEqual([0, ""]);
    const text = readFileSync(join(folder, name, "plugin.ts"), "utf8");
    for (const words of [`create table "${name}"`, `deleteFrom("${name}")`, `insertInto("${name}")`])
      expect(text).toContain(words);
  },
);
