import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { withValue, writeLecternKey } from "./package_file.ts";

const folder = mkdtempSync(join(tmpdir(), "lectern-package-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const PATH = ["lectern", "grants"];
const VALUE = { version: 1, plugins: { a: { read: ["b"] } } };

test.each([
  ["{}", '{\n  "lectern": {\n    "grants": 1\n  }\n}'],
  ['{ "name": "x" }\n', '{ "name": "x",\n  "lectern": {\n    "grants": 1\n  }\n}\n'],
  ['{\n\t"lectern": { "plugins": ["a", "b"] }\n}', '{\n\t"lectern": { "plugins": ["a", "b"],\n\t\t"grants": 1\n\t}\n}'],
  ['{"lectern":{"grants":{"x":[1,"}"]},"y":2}}', '{"lectern":{"grants":1,"y":2}}'],
  ['{"a\\"lectern":{"grants":0},"lectern":{"grants":0}}', '{"a\\"lectern":{"grants":0},"lectern":{"grants":1}}'],
  ['{"lectern":{"grants":0},"lectern":{"grants":0}}', '{"lectern":{"grants":0},"lectern":{"grants":1}}'],
  ['{"lectern":null}', '{"lectern":{\n    "grants": 1\n  }}'],
])("withValue() changes %s to %s", (text, wanted) => {
  expect(withValue(text, PATH, 1)).toBe(wanted);
});

test("a value is written with the indentation and line ends of its file, which keeps all else and its mode", () => {
  const file = join(folder, "package.json");
  const text =
    '{\r\n    "name": "x",\r\n    "lectern": {\r\n        "plugins": ["a", "b"]\r\n    },\r\n    "z": [1, 2]\r\n}\r\n';
  writeFileSync(file, text, { mode: 0o640 });
  writeLecternKey(file, "grants", VALUE);
  const written = readFileSync(file, "utf8");
  expect(written).toBe(
    '{\r\n    "name": "x",\r\n    "lectern": {\r\n        "plugins": ["a", "b"],\r\n        "grants": {\r\n            "version": 1,\r\n            "plugins": {\r\n                "a": {\r\n                    "read": [\r\n                        "b"\r\n                    ]\r\n                }\r\n            }\r\n        }\r\n    },\r\n    "z": [1, 2]\r\n}\r\n',
  );
  expect(statSync(file).mode & 0o777).toBe(0o640);
  writeLecternKey(file, "grants", VALUE);
  expect(readFileSync(file, "utf8")).toBe(written);
});

test.each([
  ["absent.json", undefined],
  ["broken.json", "{"],
  ["list.json", "[]"],
])("a file that is no object is named: %s", (name, text) => {
  const file = join(folder, name);
  if (text !== undefined) writeFileSync(file, text);
  expect(() => writeLecternKey(file, "grants", VALUE)).toThrow(`Cannot change "${file}": `);
});

test("a block on one line does not make the indentation of what is added grow", () => {
  const once = withValue('{ "lectern": { "plugins": ["a"] } }', ["lectern", "plugins"], ["a", "b"]);
  expect(withValue(once, ["lectern", "plugins"], ["a", "b"])).toBe(once);
});
