/** What would be ignored where its name or shape is wrong stops the boot, with the plugin and the nearest name that there is. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type AnyPlugin, BootError, definePlugin, type Slots } from "lectern/core";
import { CORE_SLOTS } from "../../core/contracts/slot_names.ts";
import { contributionProblem, PLUGIN_SHAPES } from "../../core/contracts/slot_shapes.ts";
import { FEW, WITH_BOOKS } from "../support/harness/few_plugins.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

declare module "lectern/core" {
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
async function bootError(extra: AnyPlugin, only = FEW): Promise<string> {
  const runtime = await bootTestRuntime({ extra: [extra], beside: base, only }).catch((error: unknown) => error);
  if (runtime instanceof BootError) return runtime.message;
  await (runtime as TestRuntime).stop();
  return "booted";
}

describe("boot() stops and names the plugin", () => {
  test.each<[string, unknown, string]>([
    [
      "menu",
      { menu: "main", path: "/x", text: "X", icon: "tag", admit: "user" },
      'has "admit", which is none of its members; did you mean "admits"?',
    ],
    [
      "menu",
      { menu: "mian", path: "/x", text: "X", icon: "tag", admits: "user" },
      'needs "menu" to be "main" or "settings" or "account", and it is the text "mian"',
    ],
    ["dependents", { kind: "page" }, 'needs "destroy" to be a function, and it is missing'],
    [
      "response_fields",
      { kind: "page", moment: "read", add: new Map() },
      'needs "add" to be a function, and it is an object',
    ],
    [
      "toolbar_entry",
      { at: "page/toolbar", text: "X", icon: "tag", path: () => "/x", admits: "users" },
      'needs "admits" to be "anyone", "reader", "user", a list of permissions or { all: a list of permissions }, and it is the text "users"',
    ],
    ["screen_hook", [], "has to be an object, and is a list"],
    ["dashboard_figure", { name: "x", abuot: "y" }, 'has "abuot", which is none of its members; did you mean "about"?'],
    ["permission", "note-pin", 'is dropped, since the runtime fills it: name the permission in "adds"'],
  ])("that contributes to the slot %s what has another shape", async (slot, contribution, problem) => {
    const shapeless = definePlugin({
      name: "shapeless",
      permissions: { slots: "any" },
      setup: ({ contribute }) => contribute(slot as "menu", contribution as never),
    });
    expect(await bootError(shapeless)).toBe(
      `A contribution of the plugin "shapeless" to the slot "${slot}" ${problem}`,
    );
  });

  test("that adds to screens for a permission which no plugin adds", async () => {
    const lost = definePlugin({
      name: "lost",
      permissions: { slots: ["menu"] },
      setup: ({ contribute }) =>
        contribute("menu", { menu: "main", path: "/x", text: "X", icon: "tag", admits: { all: ["book-craete-all"] } }),
    });
    expect(await bootError(lost, WITH_BOOKS)).toBe(
      'A contribution of the plugin "lost" to the slot "menu" admits "book-craete-all", a permission which no plugin adds; did you mean "book-create-all"?',
    );
  });

  test.each([
    ["dependants", "dependents"],
    ["screen_prat", "screen_part"],
  ])("that contributes to the slot %s, which is misspelt", async (slot, meant) => {
    const lost = definePlugin({
      name: "lost",
      permissions: { slots: "any" },
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
    ["test_ocurs", "test_occurs"],
    ["test-occurs", "test_occurs"],
    ["book_udpate", "book_update"],
    ["app_boots", "app_boot"],
  ])("that handles the event %s, which is misspelt", async (event, meant) => {
    const performing = { events: ["test_occurs"] } as const;
    const deaf = definePlugin({
      name: "deaf",
      permissions: { handlers: "any" },
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
      permissions: { handlers: "any" },
      setup: ({ on, onAny }) => {
        on("test_occurs", {});
        onAny({ inTransacton() {} } as object);
      },
    });
    expect(await bootError(deaf)).toBe(
      'The plugin "deaf" handles every event with "inTransacton", which is no moment of it; did you mean "inTransaction"?',
    );
  });
});

test("an unknown member stops the boot at every slot of core, and is named with the nearest of its members", () => {
  const slots = [...CORE_SLOTS, ...Object.keys(PLUGIN_SHAPES)];
  for (const slot of slots.filter((name) => name !== "permission")) {
    const problem = contributionProblem(slot, { unknwon_member: true });
    expect([slot, problem]).toEqual([
      slot,
      expect.stringContaining('has "unknwon_member", which is none of its members'),
    ]);
    const listed = /its members: (.*)$/.exec(problem ?? "")?.[1]?.split(", ") ?? [];
    const [longest = ""] = listed.toSorted((a, b) => b.length - a.length);
    const slip = `${longest}s`;
    expect(contributionProblem(slot, { [slip]: 1 })).toContain(
      `has "${slip}", which is none of its members; did you mean "`,
    );
  }
});

test("the shapes of slots of shipped plugins have the members of their types", () => {
  type Members<N extends keyof typeof PLUGIN_SHAPES> = { readonly [K in keyof Slots[N]]-?: string };
  const shapes: { readonly [N in keyof typeof PLUGIN_SHAPES]: Members<N> } = PLUGIN_SHAPES;
  expect(Object.keys(shapes)).toEqual(["dashboard_figure"]);
});
