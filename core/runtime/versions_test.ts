import { expect, test } from "bun:test";
import { type AnyPlugin, definePlugin } from "./plugin.ts";
import { checkVersions, versionLines } from "./versions.ts";

const plugin = (versions: Pick<AnyPlugin, "version" | "lectern">) =>
  definePlugin({ name: "podium", ...versions, setup() {} });

test.each(["^0.2.0", ">=0.2 <0.4", "0.2.x", "*", "~0.2", "1 || 0.2.0", "0.1 - 0.3", "=0.2.0"])(
  "checkVersions() accepts %p for 0.2.0",
  (lectern) => expect(() => checkVersions([plugin({ lectern })], "0.2.0")).not.toThrow(),
);

test.each([
  [{ version: "1.4.0", lectern: "^0.3.0" }, 'The plugin "podium" 1.4.0 requires Lectern ^0.3.0, and this is 0.2.0'],
  [{ lectern: "<0.2" }, 'The plugin "podium" requires Lectern <0.2, and this is 0.2.0'],
  [{ lectern: "latest" }, 'The plugin "podium" requires Lectern "latest"; wanted a range of versions such as "^1.2.0"'],
  [{ lectern: "" }, 'The plugin "podium" requires Lectern ""; wanted a range'],
  [{ lectern: "^0.2 oder so" }, 'requires Lectern "^0.2 oder so"; wanted a range'],
  [{ version: "1.4" }, 'The plugin "podium" has the version "1.4"; wanted a semantic version such as "1.2.0"'],
])("checkVersions() refuses %j", (versions, message) =>
  expect(() => checkVersions([plugin(versions)], "0.2.0")).toThrow(message),
);

test("versionLines() shows what plugins say, and nothing for none", () => {
  expect(versionLines([plugin({})])).toEqual([]);
  expect(versionLines([plugin({ version: "1.4.0", lectern: "^0.2" })])).toEqual([
    "",
    "Versions",
    "  podium           1.4.0  requires Lectern ^0.2",
  ]);
});
