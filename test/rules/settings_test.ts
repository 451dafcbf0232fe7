import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { TObject } from "@sinclair/typebox";
import { configSchema } from "../../core/config.ts";
import plugins from "../../plugins/mod.ts";
import { ROOT } from "./_source.ts";

/** Variables that schemas name, by who reads them. */
function variablesOf(owner: string, schema: TObject | undefined): [owner: string, variable: string][] {
  return Object.values(schema?.properties ?? {}).flatMap((field): [string, string][] =>
    typeof field.env === "string" ? [[owner, field.env]] : [],
  );
}

const all = [
  ...variablesOf("core", configSchema),
  ...plugins.flatMap(({ name, settings, permissions }) => [
    ...variablesOf(name, settings),
    ...(permissions.env ?? []).map((variable): [string, string] => [name, variable]),
  ]),
];

test("the README lists every environment variable the runtime reads", () => {
  const readme = readFileSync(join(ROOT, "README.md"), "utf8");
  expect(all.length).toBeGreaterThan(15);
  expect(all.filter(([, variable]) => !readme.includes(`\`${variable}\``))).toEqual([]);
});

test("no two settings are read from one variable under different meanings", () => {
  const owners = new Map<string, Set<string>>();
  for (const [owner, variable] of all) owners.set(variable, (owners.get(variable) ?? new Set()).add(owner));
  const shared = [...owners].filter(([, names]) => names.size > 1).map(([variable]) => variable);
  // Plugins that read one variable have to read it alike.
  const facts = [
    "APP_ENV",
    "APP_TIMEZONE",
    "REGISTRATION_CONFIRMATION",
    "REGISTRATION_RESTRICT",
    "FILE_UPLOAD_SIZE_LIMIT",
  ];
  expect(shared.filter((variable) => !facts.includes(variable))).toEqual([]);
});
