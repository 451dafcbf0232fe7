import { expect, test } from "bun:test";
import { Type as t } from "@sinclair/typebox";
import { BootError } from "../errors.ts";
import { checkChoices, checkedBlock, checkVariables, variablesOf } from "./operator_choices.ts";
import { definePlugin } from "./plugin.ts";

const pump = definePlugin({
  name: "pump",
  grants: { env: ["PUMP_MODE"] },
  settings: t.Object({
    pressure: t.Integer({ default: 1, env: "PUMP_PRESSURE" }),
    zone: t.String({ default: "", env: "PUMP_ZONE", shared: true }),
    plain: t.String({ default: "" }),
    most: t.Integer({ default: 9, constant: true }),
  }),
  setup() {},
});
const bare = definePlugin({ name: "bare", setup() {} });

const reading = (env: string, shared?: boolean) =>
  definePlugin({
    name: "reader",
    settings: t.Object({ wish: t.String({ default: "", env, ...(shared && { shared }) }) }),
    setup() {},
  });

function refusal(run: () => void): string {
  try {
    run();
    return "";
  } catch (error) {
    expect(error).toBeInstanceOf(BootError);
    return (error as Error).message.replace('Cannot use the "lectern" block of package.json: ', "… ");
  }
}

test.each([
  [{ denied: { pmup: ["net"] } }, '… "denied" names the plugin "pmup", which does not exist; did you mean "pump"?'],
  [{ denied: { weather: ["net"] } }, '… "denied" names the plugin "weather", which does not exist'],
  [
    { denied: { pump: ["write", "nett"] } },
    '… "denied" names the kind of grant "nett" for "pump", which does not exist; did you mean "net"?',
  ],
  [{ denied: { pump: "net" } }, '… "denied" of "pump" is no list of kinds of grants'],
  [{ denied: ["net"] }, '… "denied" is no object'],
  [{ settings: { pumps: {} } }, '… "settings" names the plugin "pumps", which does not exist; did you mean "pump"?'],
  [
    { settings: { pump: { presure: 3 } } },
    '… "settings" names the setting "presure" of "pump", which does not exist; did you mean "pressure"?',
  ],
  [{ settings: { bare: { size: 3 } } }, '… "settings" names the setting "size" of "bare", which does not exist'],
  [{ settings: { pump: { most: 3 } } }, '… "settings" names the setting "most" of "pump", which does not exist'],
  [{ settings: { pump: 3 } }, '… "settings" of "pump" is no object'],
  [{ settings: { pump: { pressure: 3 } }, denied: { pump: ["net", "env"], bare: [] } }, ""],
  [{}, ""],
])("checkChoices() of %j says %j", (choices, wanted) => {
  expect(refusal(() => checkChoices([pump, bare], choices as never))).toBe(wanted);
});

test.each([
  [
    "DATABASE_URL",
    false,
    'The plugin "reader" reads its setting "wish" from DATABASE_URL, which is a setting of Lectern',
  ],
  [
    "DATABASE_URL",
    true,
    'The plugin "reader" reads its setting "wish" from DATABASE_URL, which is a setting of Lectern',
  ],
  ["FILE_UPLOAD_SIZE_LIMIT", false, expect.stringContaining("which is a setting of Lectern")],
  ["FILE_UPLOAD_SIZE_LIMIT", true, ""],
  [
    "PUMP_PRESSURE",
    true,
    'The plugin "reader" reads its setting "wish" from PUMP_PRESSURE, which is a setting of "pump"',
  ],
  ["PUMP_ZONE", false, expect.stringContaining('which is a setting of "pump"')],
  ["PUMP_ZONE", true, ""],
  ["READER_WISH", false, ""],
])("a setting that reads %s (shared: %j) is judged %j", (variable, shared, wanted) => {
  expect(refusal(() => checkVariables([pump, reading(variable, shared)]))).toEqual(wanted);
});

test("variablesOf() counts the variables of settings among the grants", () => {
  expect(variablesOf(pump)).toEqual(["PUMP_MODE", "PUMP_PRESSURE", "PUMP_ZONE"]);
  expect(variablesOf(bare)).toEqual([]);
});

const KEYS = { plugins: "list", settings: "object", denied: "object" } as const;
test.each([
  [{ setings: {} }, '… "setings" is no key of it; did you mean "settings"?'],
  [{ plugins: [], weather: 1 }, '… "weather" is no key of it'],
  [{ plugins: "lectern/plugins" }, '… "plugins" is no list'],
  [{ denied: null }, '… "denied" is no object'],
  [[], "… it is no object"],
])("a block of %j is refused", (block, text) => {
  expect(refusal(() => checkedBlock(block, KEYS))).toBe(text);
});

test("a misspelt key within a setting is refused at any depth", () => {
  const deep = definePlugin({
    name: "deep",
    settings: t.Object({
      mail: t.Object({ server: t.Object({ port: t.Integer() }, { default: { port: 1 } }) }, { default: {} }),
      any: t.Record(t.String(), t.String(), { default: {} }),
    }),
    setup() {},
  });
  const of = (settings: Record<string, unknown>) =>
    refusal(() => checkChoices([deep], { settings: { deep: settings } }));
  expect(of({ mail: { server: { port: 2 } }, any: { key: "x" } })).toBe("");
  expect(of({ mail: { sever: {} } })).toBe(
    '… "settings" names the key "sever" in "mail" of "deep", which does not exist; did you mean "server"?',
  );
  expect(of({ mail: { server: { prot: 2 } } })).toBe(
    '… "settings" names the key "prot" in "server" in "mail" of "deep", which does not exist; did you mean "port"?',
  );
});
