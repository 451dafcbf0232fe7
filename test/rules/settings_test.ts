import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { TObject } from "@sinclair/typebox";
import { configSchema } from "../../core/config.ts";
import { sharedLimits } from "../../core/shared_limits.ts";
import plugins from "../../plugins/mod.ts";
import { CONFIGURATION, configurationPage, groups, variables } from "./_configuration.ts";
import { ROOT } from "./_source.ts";

/** Variables of the README and what they are beside settings: of one command, or of a reader's own shell. */
const NO_SETTINGS = ["MIGRATE_TOKEN", "TOKEN", "TOKEN_OF_ITS_ADMINISTRATOR"];
/** How many settings the README shows at most. */
const SHOWN = 24;
/** How many variables there are at most, without those of sign-in. */
const MOST = 90;
const SIGN_IN = ["sessions", "throttle", "tokens"];
/** Those of sign-in that the plugin of the accounts reads for the others. */
const OF_ACCOUNTS = ["REGISTRATION_CONFIRMATION", "REGISTRATION_RESTRICT"];

/** Variables that schemas name, by who reads them. */
function variablesOf(owner: string, schema: TObject | undefined): [owner: string, variable: string][] {
  return Object.values(schema?.properties ?? {}).flatMap((field): [string, string][] =>
    typeof field.env === "string" ? [[owner, field.env]] : [],
  );
}

const all = [
  ...variablesOf("core", configSchema),
  ...plugins.flatMap(({ name, settings, grants }) => [
    ...variablesOf(name, settings),
    ...(grants.env ?? []).map((variable): [string, string] => [name, variable]),
  ]),
];

test("the page of settings is current; `bun test/rules/_configuration.ts` writes it", () => {
  const page = readFileSync(join(ROOT, CONFIGURATION), "utf8");
  expect(page).toBe(configurationPage());
  expect(all.filter(([, variable]) => !page.includes(`| \`${variable}\` |`))).toEqual([]);
});

test("every variable has a group, a description and, if it is a number, a unit", () => {
  const grouped = groups().flatMap(({ members }) => members.map(({ name }) => name));
  expect(grouped.toSorted()).toEqual(
    variables()
      .map(({ name }) => name)
      .toSorted(),
  );
  const bare = variables().filter(({ spec }) => {
    const isNumber = spec.type === "integer" || spec.type === "number";
    return typeof spec.description !== "string" || (isNumber && typeof spec.unit !== "string");
  });
  expect(bare.map(({ name }) => name)).toEqual([]);
});

test("the settings that the README shows exist with their defaults", () => {
  const readme = readFileSync(join(ROOT, "README.md"), "utf8");
  const table = /## Configuration\n([\s\S]*?)\n#/.exec(readme)?.[1] ?? "";
  const rows = [...table.matchAll(/^\| (`.+?`) \| (.+?) \|/gm)];
  const shown = rows.flatMap(([, names = ""]) => [...names.matchAll(/`(\w+)`/g)].map(([, name = ""]) => name));
  expect(shown.length).toBeWithin(18, SHOWN);
  const known = new Map(variables().map(({ name, spec }) => [name, String(spec.default)]));
  expect(shown.filter((name) => !known.has(name))).toEqual([]);
  const numbers = rows.flatMap(([, names = "", text = ""]) =>
    /^`\w+`$/.test(names) && /^\d+$/.test(text) ? [[names.slice(1, -1), text]] : [],
  );
  expect(numbers.length).toBeGreaterThan(2);
  expect(numbers.filter(([name = "", text]) => known.get(name) !== text)).toEqual([]);
  const named = [...readme.matchAll(/`([A-Z][A-Z0-9]*_[A-Z0-9_]+)(?:=[^`]*)?`/g)].map(([, name = ""]) => name);
  expect(named.filter((name) => !known.has(name) && !NO_SETTINGS.includes(name))).toEqual([]);
});

test("there are at most so many variables", () => {
  const counted = all.filter(([owner, variable]) => !SIGN_IN.includes(owner) && !OF_ACCOUNTS.includes(variable));
  const names = new Set(counted.map(([, variable]) => variable));
  expect(names.size).toBeLessThanOrEqual(MOST);
});

test("no two settings are read from one variable under different meanings", () => {
  const owners = new Map<string, Set<string>>();
  for (const [owner, variable] of all) owners.set(variable, (owners.get(variable) ?? new Set()).add(owner));
  const shared = [...owners].filter(([, names]) => names.size > 1).map(([variable]) => variable);
  // Plugins that read one variable have to read it alike.
  const facts = [
    "APP_ENV",
    "APP_TIMEZONE",
    // The runtime has a language before the settings of the instance are read.
    "APP_LANG",
    "FILE_UPLOAD_SIZE_LIMIT",
    ...Object.values(sharedLimits).map(({ env }): unknown => env),
  ];
  expect(shared.filter((variable) => !facts.includes(variable))).toEqual([]);
});
