import { expect, test } from "bun:test";
import { Type as t } from "@sinclair/typebox";
import type { Runtime } from "../runtime/boot.ts";
import { definePlugin } from "../runtime/plugin.ts";
import { findCommand } from "./commands.ts";
import { grantsOf, planOf } from "./plan.ts";

const command = { summary: "x", usage: "", store: false, run: async () => 0 };
const stranger = definePlugin({
  name: "stranger",
  permissions: { net: ["example.com"], env: ["STRANGER_KEY"], files: true },
  settings: t.Object({ size: t.Integer({ default: 1, env: "STRANGER_SIZE" }) }),
  commands: { greet: command },
  setup() {},
});

test("grants count the variables of settings, and say what is denied, in the plan too", () => {
  expect(grantsOf(stranger, ["net", "env"])).toBe(
    "stranger         net=example.com (denied) env=STRANGER_KEY,STRANGER_SIZE (denied) files",
  );
  const runtime = {
    booted: [{ plugin: stranger, ms: 1, migrated: [] }],
    http: { routes: () => [] },
    roles: { enforcementOf: () => ({ isWanted: true, reason: "no roles" }) },
  } as unknown as Runtime;
  const plan = planOf(runtime, new Map(), { stranger: ["net"] });
  expect(plan).toContain("net=example.com (denied) env=");
  expect(plan).toContain("files  not enforced: no roles");
});

test.each([
  ["serve", 'The plugin "second" adds the command "serve", which Lectern has already'],
  ["help", 'The plugin "second" adds the command "help", which Lectern has already'],
  ["greet", 'The plugin "second" adds the command "greet", which "stranger" has already'],
])("a command named %s that is taken stops the boot", (name, message) => {
  const second = definePlugin({ name: "second", commands: { [name]: command }, setup() {} });
  expect(() => findCommand("check", [stranger, second])).toThrow(message);
  expect(findCommand("greet", [stranger])?.summary).toBe("x");
});
