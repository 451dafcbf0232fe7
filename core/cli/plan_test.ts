import { expect, test } from "bun:test";
import { Type as t } from "@sinclair/typebox";
import type { Runtime } from "../runtime/boot.ts";
import { beyondError, beyondPin } from "../runtime/pins.ts";
import { definePlugin } from "../runtime/plugin.ts";
import type { Recorded } from "../runtime/recorded.ts";
import { findCommand } from "./commands.ts";
import { factsInWords, grantsInWords, grantsLines, shortGrants } from "./grants_text.ts";
import { planOf } from "./plan.ts";

const command = { summary: "x", usage: "", store: false, run: async () => 0 };
const stranger = definePlugin({
  name: "stranger",
  grants: { net: ["example.com"], env: ["STRANGER_KEY"], files: true },
  settings: t.Object({ size: t.Integer({ default: 1, env: "STRANGER_SIZE" }) }),
  commands: { greet: command },
  setup() {},
});

test("grants count the variables of settings, and say what is denied, in the plan too", () => {
  expect(grantsLines({ plugin: stranger, denied: ["net", "env"], recorded: {} })).toEqual([
    "stranger         net=example.com (denied) env=STRANGER_KEY,STRANGER_SIZE (denied) files",
  ]);
  const runtime = {
    booted: [{ plugin: stranger, ms: 1, migrated: [], recorded: { slots: ["menu"] } }],
    http: { routes: () => [] },
  } as unknown as Runtime;
  const plan = planOf(runtime, {
    pending: new Map([["stranger", ["0002_size"]]]),
    notes: [],
    denied: { stranger: ["net"] },
    enforcementOf: () => ({ isWanted: true, reason: "no roles" }),
  });
  expect(plan).toContain("pending: 0002_size");
  expect(plan).toContain("net=example.com (denied) env=");
  expect(plan).toContain("files  not enforced: no roles");
  expect(plan).toContain(" slots=menu");
});

const mighty = definePlugin({
  name: "mighty",
  grants: {
    read: ["books"],
    system: true,
  },
  setup() {},
});
const RECORDED: Recorded = {
  handlers: "any",
  filters: ["app_boot"],
  schedules: ["a", "b", "c", "d", "e"],
  screens: { "/mighty/*": "user", "/settings/mighty": ["settings-manage", "users-manage"] },
};

test("each kind of what is recorded has a line, and the line at the start of a server is cut", () => {
  expect(grantsLines({ plugin: mighty, denied: ["filters"], recorded: RECORDED })).toEqual([
    "mighty           read=books system",
    "                 handlers=any",
    "                 filters=app_boot (denied)",
    "                 schedules=a,b,c,d,e",
    "                 screens=/mighty/* (user), /settings/mighty (settings-manage or users-manage)",
  ]);
  expect(shortGrants({ plugin: mighty, denied: [], recorded: RECORDED })).toBe(
    "mighty           read=books system handlers=any filters=app_boot schedules=a,b,c,+2 screens=/mighty/* (user), /settings/mighty (settings-manage or users-manage)",
  );
  expect(grantsLines({ plugin: definePlugin({ name: "modest", setup() {} }), denied: [], recorded: {} })).toEqual([
    "modest           nothing",
  ]);
});

test("columns are shown by table, and hosts of settings with their variables", () => {
  const finder = definePlugin({
    name: "finder",
    grants: {
      columns: { users: ["id", "email"] } as never,
      net: ["setting:address", "example.com"],
    },
    settings: t.Object({ address: t.String({ default: "", env: "FINDER_ADDRESS" }) }),
    setup() {},
  });
  expect(grantsLines({ plugin: finder, denied: ["read"], recorded: { performs: "any" } })).toEqual([
    "finder           columns=users(id,email) (denied) net=setting:address (FINDER_ADDRESS),example.com env=FINDER_ADDRESS",
    "                 performs=any",
  ]);
  expect(grantsInWords({ plugin: finder, denied: [], recorded: {} })).toContain(
    "  reads columns of the tables: users(id,email)",
  );
});

test("the grants of one plugin are said in words", () => {
  expect(grantsInWords({ plugin: mighty, denied: ["system"], recorded: RECORDED })).toEqual([
    "mighty",
    "  reads the tables: books",
    "  acts as SYSTEM, which may do everything (denied)",
    "  sees and follows the events: any",
    "  changes the events: app_boot",
    "  runs on the schedules:",
    "    a",
    "    b",
    "    c",
    "    d",
    "    e",
    "  serves the screens:",
    "    /mighty/* (user)",
    "    /settings/mighty (settings-manage or users-manage)",
  ]);
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

test("names move nothing in the terminal of who reads them, and add no line", () => {
  const hiding = definePlugin({ name: "hiding", grants: { read: ["books\u001b[2K\r"] as never[] }, setup() {} });
  const recorded: Recorded = { jobs: ["tidy\n  accepted in package.json"], screens: { "/a\u202e": "public" } };
  expect(grantsInWords({ plugin: hiding, denied: [], recorded })).toEqual([
    "hiding",
    "  reads the tables: books\\u001b[2K\\u000d",
    "  runs the jobs: tidy\\u000a  accepted in package.json",
    "  serves the screens: /a\\u202e (public)",
  ]);
  const { message } = beyondError([["hiding", beyondPin(hiding, {}, recorded)]]);
  expect(message).toContain("  + jobs: tidy\\u000a  accepted in package.json\n");
});

test("whatever is accepted of a plugin beside its grants is said in words", () => {
  const whole = definePlugin({
    name: "whole",
    requires: ["web" as never],
    events: ["whole_begin" as never],
    permissions: ["whole-begin" as never],
    commands: { greet: command },
    migrations: { "0001_init": async () => {}, "0002_more": async () => {} },
    syncSchema: async () => {},
    setup() {},
  });
  expect(factsInWords({ plugin: whole, denied: [], recorded: {} })).toEqual([
    "  calls the contracts: web",
    "  has events of its own: whole_begin",
    "  adds the permissions: whole-begin",
    "  adds the commands: greet",
    "  changes the schema by the steps:",
    "    0001_init",
    "    0002_more",
    "  brings its schema up to date at each start",
  ]);
  expect(factsInWords({ plugin: definePlugin({ name: "bare", setup() {} }), denied: [], recorded: {} })).toEqual([]);
});
