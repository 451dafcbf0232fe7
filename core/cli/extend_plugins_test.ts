import { expect, test } from "bun:test";
import { Type as t } from "@sinclair/typebox";
import { BootError } from "../errors.ts";
import { definePlugin } from "../runtime/plugin.ts";
import { withExtensions } from "./extend_plugins.ts";

const settings = t.Object({ folder: t.String({ default: "extras", env: "EXTRAS" }) });

/** What a plugin says of itself without an entry of the operator. */
const OWN = { entry: "./acme", how: "isolated" };
const ACME = { entry: "./acme", file: "/srv/acme/plugin.ts", options: { memoryMb: 96 }, version: "1.2.3" };

function extending(name: string, extend: Parameters<typeof definePlugin>[0]["extend"] & object) {
  return definePlugin({ name, settings, extend, setup() {} });
}

test("plugins that others add come last, in the order of the list, and add none themselves", async () => {
  const seen: unknown[] = [];
  const added = extending("added", () => [definePlugin({ name: "never", setup() {} })]);
  const first = extending("first", ({ settings: own, plugins }) => {
    seen.push(
      own,
      plugins.map(({ name }) => name),
    );
    return [added];
  });
  const second = extending("second", async ({ settings: own }) => {
    seen.push(own);
    return [definePlugin({ name: "last", setup() {} })];
  });
  const all = await withExtensions([first, second], {
    env: { EXTRAS: "more" },
    settings: { second: { folder: "ignored, as the variable is set" } },
  });
  expect(all.map(({ name }) => name)).toEqual(["first", "second", "added", "last"]);
  expect(seen).toEqual([{ folder: "more" }, ["first", "second"], { folder: "more" }]);
});

test("what fails names the plugin, or is the error of the plugin", async () => {
  const failing = (cause: unknown) => withExtensions([extending("broken", () => Promise.reject(cause))], { env: {} });
  await expect(failing(new Error("No folder"))).rejects.toThrow(
    new BootError('Cannot load the plugins that "broken" adds: No folder'),
  );
  await expect(failing(new BootError("Cannot use it"))).rejects.toThrow(new BootError("Cannot use it"));
});

test("added plugins lie in the folder of the one that adds them, whatever they say of themselves", async () => {
  const inner = definePlugin({ name: "inner", setup() {} });
  const outer = { ...extending("outer", () => [inner, claiming]), listFile: "/srv/outer/plugin.ts" };
  const claiming = { ...inner, name: "claiming", listFile: "/etc/plugin.ts", isolated: OWN, addedBy: "themes" };
  const [, first, second] = await withExtensions([outer], { env: {} });
  expect(first).toMatchObject({ addedBy: "outer", listFile: "/srv/outer/plugin.ts" });
  expect(second).toMatchObject({ addedBy: "outer", listFile: "/srv/outer/plugin.ts" });
  expect(second).not.toHaveProperty("isolated");
  const [, operators] = await withExtensions([extending("shipped", () => [claiming])], { env: {} });
  expect(operators).not.toHaveProperty("listFile");
});

test("a plugin that stands for an isolated entry takes its place, and others claim nothing of it", async () => {
  const given: unknown[] = [];
  const isolator = extending("isolator", ({ plugins, isolated }) => {
    given.push(
      plugins.map(({ name }) => name),
      isolated,
    );
    const plugin = definePlugin({ name: "acme", setup() {} });
    return isolated.map(({ entry }) => ({
      ...plugin,
      listFile: "/etc/acme.ts",
      addedBy: "x",
      isolated: { entry, how: "walled" },
    }));
  });
  const late = extending("late", ({ plugins, isolated }) => {
    given.push(
      plugins.map(({ name }) => name),
      isolated,
    );
    return [{ ...definePlugin({ name: "claiming", setup() {} }), isolated: OWN }];
  });
  const all = await withExtensions([ACME, isolator, late], { env: {} });
  expect(all.map(({ name }) => name)).toEqual(["acme", "isolator", "late", "claiming"]);
  expect(given).toEqual([["isolator", "late"], [ACME], ["acme", "isolator", "late"], []]);
  expect(all[0]).toMatchObject({ version: "1.2.3", isolated: { entry: "./acme", how: "walled" } });
  expect(all[0]).not.toHaveProperty("listFile");
  expect(all[0]).not.toHaveProperty("addedBy");
  expect(all[3]).not.toHaveProperty("isolated");
  const [stranger] = await withExtensions([ACME, { ...isolator, listFile: "/srv/isolator.ts" }], { env: {} });
  expect(stranger?.isolated?.how).toBe("isolated by isolator: walled");
});

test("an isolated entry that no plugin loads stops the start", async () => {
  await expect(withExtensions([ACME, extending("idle", () => [])], { env: {} })).rejects.toThrow(
    new BootError('Cannot isolate "./acme": none of the listed plugins isolates; one of "lectern/plugins" does'),
  );
});
