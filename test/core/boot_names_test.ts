/** What would be ignored where its name or shape is wrong stops the boot, with the plugin and the nearest name that there is. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type AnyPlugin, BootError, definePlugin } from "lectern/core";
import { contributionProblem, declaredSlots } from "../../core/runtime/slot_specs.ts";
import plugins from "../../plugins/mod.ts";
import { FEW, WITH_BOOKS } from "../support/harness/few_plugins.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

declare module "lectern/core" {
  interface Slots {
    test_greeter: { greet(): string; words?: readonly string[] };
  }
  interface Events {
    test_occurs: { draft: { name: string }; result: { name: string } };
  }
}

/** Boots that fail share its database. */
let base: TestRuntime;
beforeAll(async () => {
  base = await bootTestRuntime({ only: FEW });
});
afterAll(() => base?.stop());

/** Boots a plugin among few of those that ship. */
async function bootError(extra: AnyPlugin | readonly AnyPlugin[], only = FEW): Promise<string> {
  const runtime = await bootTestRuntime({ extra: [extra].flat(), beside: base, only }).catch((error: unknown) => error);
  if (runtime instanceof BootError) return runtime.message;
  await (runtime as TestRuntime).stop();
  return "booted";
}

describe("boot() stops and names the plugin", () => {
  test.each<[string, unknown, string]>([
    [
      "screen_part",
      { at: "menu/main", path: "/x", text: "X", icon: "tag", premit: "user" },
      'has "premit", which is none of its members; did you mean "permit"?',
    ],
    ["screen_part", { path: "/x", text: "X" }, 'needs "at" to be a text, and it is missing'],
    ["dependents", { kind: "page" }, 'needs "destroy" to be a function, and it is missing'],
    [
      "response_fields",
      { kind: "page", moment: "read", add: new Map() },
      'needs "add" to be a function, and it is an object',
    ],
    [
      "screen_part",
      { at: "page/toolbar", text: "X", icon: "tag", path: () => "/x", permit: 7 },
      'needs "permit" to be "public", "reader", "user", a permission, a list of permissions or { all: a list of permissions }, and it is a number',
    ],
    ["screen_hook", [], "has to be an object, and is a list"],
    ["dashboard_figure", { name: "x", abuot: "y" }, 'has "abuot", which is none of its members; did you mean "about"?'],
    ["permission", "note-pin", 'is dropped, since the runtime fills it: name the permission in "permissions"'],
  ])("that contributes to the slot %s what has another shape", async (slot, contribution, problem) => {
    const shapeless = definePlugin({
      name: "shapeless",
      setup: ({ contribute }) => contribute(slot as "metric", contribution as never),
    });
    expect(await bootError(shapeless)).toBe(
      `A contribution of the plugin "shapeless" to the slot "${slot}" ${problem}`,
    );
  });

  test("that adds to screens for a permission which no plugin adds", async () => {
    const lost = definePlugin({
      name: "lost",
      setup: ({ contribute }) =>
        contribute("screen_part", {
          at: "menu/main",
          path: "/x",
          text: "X",
          icon: "tag",
          permit: { all: ["book-craete-all"] },
        }),
    });
    expect(await bootError(lost, WITH_BOOKS)).toBe(
      'A contribution of the plugin "lost" to the slot "screen_part" permits "book-craete-all", a permission which no plugin adds; did you mean "book-create-all"?',
    );
  });

  test.each([
    ["dependants", "dependents"],
    ["screen_prat", "screen_part"],
  ])("that contributes to the slot %s, which is misspelt", async (slot, meant) => {
    const lost = definePlugin({
      name: "lost",
      setup: ({ contribute }) => contribute(slot as "metric", {} as never),
    });
    expect(await bootError(lost)).toBe(
      `The plugin "lost" contributes to the slot "${slot}", which no plugin reads; did you mean "${meant}"?`,
    );
  });

  test("that declares a key which no plugin has, or another value than it takes", async () => {
    const slip = { name: "slip", setup: () => {}, migration: {} };
    expect(await bootError(definePlugin(slip))).toBe(
      'The plugin "slip" declares "migration", which no plugin has; did you mean "migrations"?',
    );
    const wrong = { name: "slip", setup: () => {}, requires: "access" } as unknown as Parameters<
      typeof definePlugin
    >[0];
    expect(await bootError(definePlugin(wrong))).toBe('"requires" of the plugin "slip" has to be a list');
  });

  test.each([
    [
      { permissions: { read: ["books"], screens: { "/x": "user" }, files: true } },
      '"permissions" is now "grants": grants: { read: ["books"], screens: { "/x": "user" }, files: true }',
    ],
    [{ permissions: {} }, '"permissions" is now "grants": grants: {}'],
    [{ adds: ["note-pin"] }, '"adds" is now "permissions": permissions: ["note-pin"]'],
  ])("that declares %j by its earlier name, with the line to write", async (declared, problem) => {
    const old = { name: "slip", ...declared, setup: () => {} } as unknown as Parameters<typeof definePlugin>[0];
    expect(await bootError(definePlugin(old))).toBe(`The plugin "slip": ${problem}`);
  });

  test.each([
    ["test_ocurs", "test_occurs"],
    ["test-occurs", "test_occurs"],
    ["book_udpate", "book_update"],
    ["app_boots", "app_boot"],
  ])("that handles the event %s, which is misspelt", async (event, meant) => {
    const performing = { events: ["test_occurs"] } as const;
    const deaf = definePlugin({
      name: "deaf",
      ...performing,
      setup: ({ on }) => on(event as "test_occurs", { notify() {} }),
    });
    expect(await bootError(deaf, WITH_BOOKS)).toBe(
      `The plugin "deaf" handles the event "${event}", which no plugin performs; did you mean "${meant}"?`,
    );
  });

  test("that handles an event at a moment that is none", async () => {
    const deaf = definePlugin({
      name: "deaf",
      setup: ({ on }) => {
        on("test_occurs", {});
        on.any({ inTransacton() {} } as object);
      },
    });
    expect(await bootError(deaf)).toBe(
      'The plugin "deaf" handles every event with "inTransacton", which is no moment of it; did you mean "inTransaction"?',
    );
  });
});

test("a slot of a plugin has the shape that it declares, and one owner", async () => {
  const owner = definePlugin({
    name: "owner",
    slots: { test_greeter: { members: { greet: "function", words: "optional_list" } } },
    setup: ({ slot }) => void slot("test_greeter"),
  });
  const greeter = (contribution: object) =>
    definePlugin({
      name: "greeter",
      setup: ({ contribute }) => contribute("test_greeter", contribution as never),
    });
  expect(await bootError([owner, greeter({ greet: () => "Hello" })])).toBe("booted");
  expect(await bootError([owner, greeter({ great: () => "Hello" })])).toBe(
    'A contribution of the plugin "greeter" to the slot "test_greeter" has "great", which is none of its members; did you mean "greet"?',
  );
  const second = definePlugin({ ...owner, name: "second" });
  expect(await bootError([owner, second])).toBe(
    'The plugin "second" declares the slot "test_greeter", which "owner" declares already',
  );
  const ofCore = definePlugin({ name: "of_core", slots: { content: {} }, setup() {} });
  expect(await bootError(ofCore)).toBe(
    'The plugin "of_core" declares the slot "content", which Lectern declares already',
  );
});

test("an unknown member stops the boot at every slot, and is named with the nearest of its members", () => {
  const shaped = [...declaredSlots(plugins, plugins).all()].filter(([, { members }]) => members);
  expect(shaped.length).toBeGreaterThan(35);
  for (const [slot, spec] of shaped) {
    const problem = contributionProblem(spec, { unknwon_member: true });
    expect([slot, problem]).toEqual([
      slot,
      expect.stringContaining('has "unknwon_member", which is none of its members'),
    ]);
    const listed = /its members: (.*)$/.exec(problem ?? "")?.[1]?.split(", ") ?? [];
    const [longest = ""] = listed.toSorted((a, b) => b.length - a.length);
    const slip = `${longest}s`;
    expect(contributionProblem(spec, { [slip]: 1 })).toContain(
      `has "${slip}", which is none of its members; did you mean "`,
    );
  }
});
