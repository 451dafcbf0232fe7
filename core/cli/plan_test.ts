import { expect, test } from "bun:test";
import { Type as t } from "@sinclair/typebox";
import type { House } from "../boot.ts";
import { createLog } from "../log.ts";
import { definePlugin } from "../plugin.ts";
import { findCommand } from "./commands.ts";
import { grantsOf, planOf, tellGrants } from "./plan.ts";

const command = { summary: "x", usage: "", store: false, run: async () => 0 };
const stranger = definePlugin({
  name: "stranger",
  permissions: { net: ["example.com"], env: ["STRANGER_KEY"], files: true },
  settings: t.Object({ size: t.Integer({ default: 1, env: "STRANGER_SIZE" }) }),
  commands: { greet: command },
  setup() {},
});
const shipped = definePlugin({ name: "shipped", setup() {} });

test("grants count the variables of settings, and say what is denied, in the plan too", () => {
  expect(grantsOf(stranger, ["net", "env"])).toBe(
    "stranger         net=example.com (denied) env=STRANGER_KEY,STRANGER_SIZE (denied) files",
  );
  const house = {
    booted: [{ plugin: stranger, ms: 1, migrated: [] }],
    gates: { routes: () => [] },
  } as unknown as House;
  expect(planOf(house, new Map(), { stranger: ["net"] })).toContain("net=example.com (denied) env=");
});

test("a start tells what strangers may touch, and of what ships to whoever looks closer", () => {
  const told = (level: "info" | "debug") => {
    const lines: string[] = [];
    tellGrants(
      [shipped, stranger],
      [shipped],
      { stranger: ["files"] },
      createLog(level, (line) => void lines.push(line)),
    );
    return lines.map((line) => {
      const { level: at, plugin, grants } = JSON.parse(line);
      return [at, plugin, grants];
    });
  };
  const own = ["info", "stranger", "net=example.com env=STRANGER_KEY,STRANGER_SIZE files (denied)"];
  expect(told("info")).toEqual([own]);
  expect(told("debug")).toEqual([["debug", "shipped", "nothing"], own]);
});

test.each([
  ["serve", 'The plugin "second" brings the command "serve", which the house has already'],
  ["help", 'The plugin "second" brings the command "help", which the house has already'],
  ["greet", 'The plugin "second" brings the command "greet", which "stranger" has already'],
])("a command named %s that is taken stops the boot", (name, message) => {
  const second = definePlugin({ name: "second", commands: { [name]: command }, setup() {} });
  expect(() => findCommand("check", [stranger, second])).toThrow(message);
  expect(findCommand("greet", [stranger])?.summary).toBe("x");
});
