/** Kinds of content that plugins add beside those that ship: each has a name, a table and a segment for itself. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { type AnyPlugin, definePlugin, sql } from "lectern/core";
import type {} from "lectern/plugins";
import { WITH_PAGES } from "../support/harness/few_plugins.ts";
import { createItems } from "../support/harness/item_tables.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

setDefaultTimeout(120_000);

let base: TestRuntime;
beforeAll(async () => {
  base = await bootTestRuntime({ only: WITH_PAGES, extra: [poet()] });
});
afterAll(() => base?.stop());

const POEM = {
  kind: "poem",
  table: "poems" as "books",
  segment: "poems",
  parents: [],
  columns: ["id", "name"],
} as const;

/** A plugin with a kind of its own, which differs from that of poems as a test says. */
function poet(own: Partial<Record<"kind" | "table" | "segment", string>> = {}, facts: Partial<AnyPlugin> = {}) {
  const { name = "poet", ...more } = facts;
  return {
    ...definePlugin({
      name,
      grants: { write: ["poems" as "books", "pages"] },
      migrations: { "0001_init": (db) => createItems(db, name === "poet" ? "poems" : `${name}_items`) },
      setup: ({ contribute }) => contribute("content", { ...POEM, path: sql.lit(""), ...own } as never),
    }),
    ...more,
  } as AnyPlugin;
}

/** Why a boot with the plugins stops; "booted" where it does not. */
function refusal(...extra: AnyPlugin[]): Promise<string> {
  return bootTestRuntime({ extra, only: WITH_PAGES, beside: base, env: { PLUGIN_ROLES: "third-party" } }).then(
    (booted) => booted.stop().then(() => "booted"),
    (error: Error) => error.message,
  );
}

test("a plugin with a kind of its own boots", async () => {
  expect(await refusal(poet())).toBe("booted");
});

test.each([
  ["kind", "page", "page"],
  ["table", "pages", "page"],
  ["segment", "pages", "page"],
])("the %s of pages cannot be contributed again", async (member, value, former) => {
  const message = await refusal(poet({ [member]: value }));
  expect(message).toContain('The plugin "poet" contributes the kind');
  expect(message).toContain(`with the ${member} "${value}", which the kind "${former}" of "pages" has`);
});

test("a plugin that boots before pages stops the boot as well, which names both", async () => {
  const message = await refusal({ ...poet({ kind: "page" }), before: ["chapters", "pages"] });
  expect(message).toMatch(/The plugin "pages" contributes the kind "page" with the kind "page".* of "poet" has/);
});

test("two plugins of others do not share a kind", async () => {
  const message = await refusal(poet(), poet({}, { name: "bard" }));
  expect(message).toContain('The plugin "bard" contributes the kind "poem" with the kind "poem"');
  expect(message).toContain('of "poet" has');
});
