/** Which versions of Lectern start over a store, by the newest one that ran over it. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { BootError } from "../../core/errors.ts";
import { checkStoreVersion, RELEASE, recordVersion } from "../../core/runtime/store_version.ts";
import plugins from "../../plugins/mod.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

let runtime: TestRuntime;
beforeAll(async () => {
  runtime = await bootTestRuntime();
});
afterAll(() => runtime.stop());

const release = (version: string, upgradesFrom = "0.1.0", runsBeside = version) => ({
  version,
  upgradesFrom,
  runsBeside,
});
const ranLast = (version: string | null) =>
  runtime.store.sql`update installed_plugins set version = ${version}, runs_beside = null where name = 'core'`;
const refusal = (version: string, upgradesFrom?: string, some: readonly (typeof plugins)[number][] = plugins) =>
  checkStoreVersion(runtime.db, some, release(version, upgradesFrom)).then(
    () => "",
    (error: unknown) => (error instanceof BootError ? error.message : String(error)),
  );

test("a boot records the version, and a store of before the record counts as the last such version", async () => {
  const [row] = await runtime.store.sql`select version from installed_plugins where name = 'core'`;
  expect(row).toEqual({ version: RELEASE.version });
  await ranLast(null);
  expect([await refusal("0.3.0"), await refusal("0.9.0", "0.2.0")]).toEqual(["", ""]);
  expect(await refusal("0.9.0", "0.3.0")).toStartWith("Cannot upgrade the store of Lectern 0.2.0 to 0.9.0");
  await recordVersion(runtime.db, release(RELEASE.version));
});

test("a store that is too old for a version is refused with the version to start in between", async () => {
  await ranLast("0.2.0");
  expect(await refusal("1.0.0", "0.5.0")).toBe(
    "Cannot upgrade the store of Lectern 0.2.0 to 1.0.0, which upgrades from 0.5.0 or later: start 0.5.0 over it once, then 1.0.0. Nothing was changed",
  );
  await ranLast("0.10.0");
  expect(await refusal("1.0.0", "0.5.0")).toBe("");
});

test("an older version is refused over migrations that it lacks, and starts where it lacks none", async () => {
  await ranLast("9.0.0");
  expect(await refusal(RELEASE.version)).toBe("");
  const older = plugins.map((plugin) =>
    plugin.name === "books"
      ? { ...plugin, migrations: Object.fromEntries(Object.entries(plugin.migrations).slice(1)) }
      : plugin,
  );
  expect(await refusal(RELEASE.version, undefined, older)).toMatch(
    /^Cannot start Lectern [\d.]+ over a store that 9\.0\.0 has migrated \("books": 0001_\w+\): start 9\.0\.0 or later/,
  );
  // It goes on where the newer version runs beside it, as restarts during a rolling upgrade do.
  await recordVersion(runtime.db, release("9.1.0", "0.1.0", RELEASE.version));
  expect(await refusal(RELEASE.version, undefined, older)).toBe("");
  await recordVersion(runtime.db, release("9.2.0"));
  expect(await refusal(RELEASE.version, undefined, older)).toContain("that 9.2.0 has migrated");
  await ranLast("9.0.0");
  await recordVersion(runtime.db, release("0.3.0"));
  const [row] = await runtime.store.sql`select version from installed_plugins where name = 'core'`;
  expect(row).toEqual({ version: "9.0.0" });
  await ranLast(RELEASE.version);
});
