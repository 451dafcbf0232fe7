import { expect, test } from "bun:test";
import { Type as t } from "@sinclair/typebox";
import { BootError } from "../errors.ts";
import { withExtensions } from "./extend_plugins.ts";
import { definePlugin } from "./plugin.ts";

const settings = t.Object({ folder: t.String({ default: "extras", env: "EXTRAS" }) });

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
  const claiming = { ...inner, name: "claiming", listFile: "/etc/plugin.ts", isolation: "isolated", addedBy: "themes" };
  const [, first, second] = await withExtensions([outer], { env: {} });
  expect(first).toMatchObject({ addedBy: "outer", listFile: "/srv/outer/plugin.ts" });
  expect(second).toMatchObject({ addedBy: "outer", listFile: "/srv/outer/plugin.ts" });
  expect(second).not.toHaveProperty("isolation");
  const [, operators] = await withExtensions([extending("shipped", () => [claiming])], { env: {} });
  expect(operators).not.toHaveProperty("listFile");
});
