import { expect, test } from "bun:test";
import { definePlugin } from "../runtime/plugin.ts";
import { trialFrom, trialOf, trialOfPinned } from "./trial.ts";

const choices = (accepted: readonly string[]) => ({
  plugins: [],
  settings: {},
  denied: {},
  grants: { version: 2, plugins: Object.fromEntries(accepted.map((name) => [name, {}])) },
});
const shipped = definePlugin({ name: "shipped", setup() {} });
const acme = { ...definePlugin({ name: "acme", setup() {} }), listFile: "/srv/acme.ts" };

test("a start tries no plugin where none that does not ship is accepted", async () => {
  const tried = (others: readonly (typeof acme)[], accepted: readonly string[]) =>
    trialOfPinned([shipped, ...others], others, choices(accepted), { env: {} });
  expect(await tried([], ["shipped"])).toBeUndefined();
  expect(await tried([acme], [])).toBeUndefined();
  expect(await tried([{ ...acme, isolated: { entry: "./acme", how: "isolated" } }], ["acme"])).toBeUndefined();
  expect(await tried([{ ...acme, addedBy: "shipped" }], ["acme"])).toBeUndefined();
});

test("a plugin whose file cannot be loaded is named with the reason, and nothing is recorded of it", async () => {
  // This file exports no plugin.
  const broken = { ...acme, listFile: import.meta.path };
  const { recorded, problems } = await trialOf([broken], [broken], choices([]), { env: {} });
  expect([...recorded]).toEqual([]);
  expect(problems.get("acme")).toBeString();
});

test.each([
  [null, "it was not set up"],
  ["gone", "it was not set up"],
  [{ recorded: { acme: { jobs: [1] } }, stopped: { toString: 1 } }, '{"toString":1}'],
  [
    { recorded: [], problems: { acme: "\u001b[2K\u202e none" } },
    "its setup fails without store and network: \\u001b[2K\\u202e none",
  ],
])("whatever a process of a trial answers, as %j, is read, and moves nothing in a terminal", (answer, problem) => {
  const { recorded, problems } = trialFrom(answer, [acme]);
  expect([...recorded]).toEqual([]);
  expect(problems.get("acme")).toBe(problem);
});
