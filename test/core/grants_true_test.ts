/** The grants of shipped plugins are true: with a role each, every statement that they prepare is one the role may run. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { preparedStatements } from "lectern/db";
import { functionOf } from "../../db/grants/roles.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

/** Plugins whose statements have another name than theirs. */
const OWNERS: Readonly<Record<string, string>> = { bookshelves: "shelves" };
/** Statements of the runtime, and those of content that several plugins run. */
const SHARED = ["caches", "items", "jobs", "limits", "servers"];

let runtime: TestRuntime;

beforeAll(async () => {
  runtime = await bootTestRuntime({ env: { PLUGIN_ROLES: "all" } });
});

afterAll(() => runtime.stop());

/** The parameter that stands for a table, and one in its place. */
const TABLE: readonly [string, string] = [":payloads", "(select null::jsonb as payload)"];

/** The statement with null for each parameter: rights do not depend on values. */
const withoutValues = (text: string) => text.replace(...TABLE).replace(/(?<!:):[a-zA-Z]\w*|\$\d+/g, "null");

test("the role of a plugin may run every statement that the plugin prepares", async () => {
  const plugins = new Set(runtime.contexts.keys());
  const refused: string[] = [];
  const shared = new Set<string>();
  for (const statement of preparedStatements()) {
    const [prefix = ""] = statement.name.split(".");
    // A file of tests that ran in this process before has prepared its own.
    if (prefix === "test") continue;
    const plugin = OWNERS[prefix] ?? prefix;
    if (!plugins.has(plugin)) {
      shared.add(prefix);
      continue;
    }
    // EXPLAIN checks the rights of the role that owns the function, and runs nothing.
    const explained = `explain ${withoutValues(statement.text())}`;
    await runtime.store.sql
      .unsafe(`select from ${functionOf("run", plugin)}($1, array[]::text[]) as t(plan text)`, [explained])
      .catch((error: Error) => refused.push(`${statement.name}: ${error.message}`));
  }
  expect(refused).toEqual([]);
  expect([...shared].sort()).toEqual(SHARED);
});
