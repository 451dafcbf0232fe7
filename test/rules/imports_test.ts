import { expect, test } from "bun:test";
import { importsOf, readSource, readSources, type Source } from "./_source.ts";
import { targetOf, testSide } from "./_tests.ts";

const BUILT_IN = /^(?:node:|bun$|bun:)/;
const HOUSE = /^lectern\//;
/** A plugin, in the folder of its group, the plugin of themes and the contracts, which are no group, or a theme. */
const FOLDER = /^(?:plugins\/(?:themes|contracts)|plugins\/[^/]+\/[^/]+|themes\/[^/]+)\//;

/** Who may import what: the first row that matches a path decides. */
const RULES: readonly { place: RegExp; may: string; allowed: (target: string, path: string) => boolean }[] = [
  { place: /^(?:test|\.ci)\//, may: "anything", allowed: () => true },
  {
    place: /^db\//,
    may: "db, kysely, postgres and built-in modules",
    allowed: (target) => /^(?:db\/|kysely(?:\/|$)|postgres$)/.test(target) || BUILT_IN.test(target),
  },
  {
    place: /^core\//,
    may: "core, db and packages, never plugins or themes",
    allowed: (target) => /^(?:core|db)\//.test(target) || isPackage(target),
  },
  {
    place: /^plugins\/mod\.ts$/,
    may: "plugins, as the list of what ships, and lectern/core",
    allowed: (target) => /^plugins\//.test(target) || ownModules(target, "core"),
  },
  {
    place: /^plugins\//,
    may: "lectern/core, lectern/contracts, lectern/cli, lectern/client, lectern/db, its own folder, shared folders of its group and packages, never another plugin",
    allowed: (target, path) =>
      ownModules(target, "core", "contracts", "cli", "client", "db") ||
      isPackage(target) ||
      inFolder(target, path) ||
      inGroupShared(target, path),
  },
  {
    place: /^themes\//,
    may: "lectern/core, lectern/contracts, lectern/plugins (the types of what ships) and its own folder",
    allowed: (target, path) => ownModules(target, "core", "contracts", "plugins") || inFolder(target, path),
  },
];

function isPackage(target: string): boolean {
  return !HOUSE.test(target) && (!/^(?:core|db|plugins|themes|test|\.ci)\//.test(target) || BUILT_IN.test(target));
}

function ownModules(target: string, ...doors: readonly string[]): boolean {
  return doors.some((door) => target === `lectern/${door}`);
}

function inFolder(target: string, path: string): boolean {
  const own = FOLDER.exec(path)?.[0];
  return own !== undefined && target.startsWith(own);
}

/** Whether the target is in a folder that the plugins of a group share, such as `plugins/content/_items/`. */
function inGroupShared(target: string, path: string): boolean {
  const group = /^plugins\/[^/]+\//.exec(path)?.[0];
  return group !== undefined && target.startsWith(`${group}_`);
}

/** Every import that a rule forbids. Tests follow their place's rule, and may import test/ and any package besides. */
function misplaced(sources: readonly Source[]): string[] {
  const side = testSide(sources);
  return sources.flatMap((source) =>
    importsOf(source).flatMap(({ specifier, line }) => {
      const { path } = source;
      const target = targetOf(path, specifier);
      const rule = RULES.find(({ place }) => place.test(path));
      const free = side.has(path) && (target.startsWith("test/") || isPackage(target));
      if (!rule || free || rule.allowed(target, path)) return [];
      return [`${path}:${line}: may not import "${specifier}": files here may import ${rule.may}`];
    }),
  );
}

test("files import only what their place allows", () => {
  expect(misplaced(readSources())).toEqual([]);
});

test("the rule of imports can fail", () => {
  const bad: readonly [path: string, specifier: string][] = [
    ["db/open.ts", "elysia"],
    ["db/open.ts", "../../core/mod.ts"],
    ["core/runtime/boot.ts", "../../plugins/mod.ts"],
    ["core/runtime/boot.ts", "lectern/plugins"],
    ["core/runtime/boot.ts", "../../test/support/harness/test_runtime.ts"],
    ["plugins/content/books/plugin.ts", "../pages/plugin.ts"],
    ["plugins/content/books/plugin.ts", "../../../core/events/event_bus.ts"],
    ["plugins/content/books/presenter_test.ts", "../pages/presenter.ts"],
    ["plugins/accounts/users/plugin.ts", "../../content/_items/changes.ts"],
    ["plugins/content/_items/changes.ts", "../books/contract.ts"],
    ["plugins/content/books/plugin.ts", "../../../test/support/harness/test_runtime.ts"],
    ["plugins/themes/plugin.ts", "../web/shell/plugin.ts"],
    ["plugins/web/shell/plugin.ts", "../../themes/contract.ts"],
    ["themes/example/functions.ts", "lectern/db"],
  ];
  for (const [path, specifier] of bad)
    expect(misplaced([readSource(path, `import x from "${specifier}";`)])).toEqual([
      expect.stringContaining(`${path}:1: may not import "${specifier}"`),
    ]);
});

test("the rule of imports lets pass what the runtime is built of", () => {
  const good: readonly [path: string, specifier: string][] = [
    ["db/open.ts", "node:fs"],
    ["db/open_test.ts", "../../test/support/harness/cluster.ts"],
    ["core/runtime/boot.ts", "../../db/mod.ts"],
    ["plugins/mod.ts", "./content/books/plugin.ts"],
    ["plugins/content/books/migrations/0001_init.ts", "../contract.ts"],
    ["plugins/content/books/plugin.ts", "marked"],
    ["plugins/content/books/plugin.ts", "../_items/changes.ts"],
    ["plugins/themes/plugin.ts", "./contract.ts"],
    ["themes/example/functions.ts", "./views/page.ts"],
  ];
  for (const [path, specifier] of good) expect(misplaced([readSource(path, `import "${specifier}";`)])).toEqual([]);
});

test("a private file that only tests import is one of them", () => {
  const helper = readSource("db/_stores.ts", 'import "../support/harness/cluster.ts";');
  expect(misplaced([helper, readSource("db/open_test.ts", 'import "./_stores.ts";')])).toEqual([]);
  expect(misplaced([helper, readSource("db/open.ts", 'import "./_stores.ts";')])).toHaveLength(1);
});
