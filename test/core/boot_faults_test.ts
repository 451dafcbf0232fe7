/** Errors at boot name both sides: the plugin with file and line, and what it collides with. */
import { afterAll, beforeAll, describe, expect, spyOn, test } from "bun:test";
import { type AnyPlugin, BootError, definePlugin, sql } from "lectern/core";
import { FEW, WITH_BOOKS } from "../support/harness/few_plugins.ts";
import { scaled } from "../support/harness/machine_speed.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

/** Boots that fail share its database. */
let base: TestRuntime;
beforeAll(async () => {
  base = await bootTestRuntime({ only: FEW });
});
afterAll(() => base.stop());

async function bootError(plugin: AnyPlugin, only = FEW): Promise<string> {
  try {
    const runtime = await bootTestRuntime({ extra: [plugin], beside: base, only });
    await runtime.stop();
    return "booted";
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    expect(error).toBeInstanceOf(BootError);
    return error.message;
  }
}

describe("boot() stops and names the plugin", () => {
  test("whose setup throws", async () => {
    const broken = definePlugin({
      name: "broken",
      setup() {
        throw new TypeError("x is not a function");
      },
    });
    expect(await bootError(broken)).toMatch(
      /^Cannot set up the plugin "broken": x is not a function \(test\/core\/boot_faults_test\.ts:\d+\)$/,
    );
  });

  test("whose setup throws in a function of Lectern: the place is that of the plugin", async () => {
    const deep = definePlugin({
      name: "deep",
      setup({ jobs }) {
        jobs.handle("test_twice" as never, async () => {});
        jobs.handle("test_twice" as never, async () => {});
        sql
          .ref(undefined as never)
          .as(undefined as never)
          .toOperationNode();
      },
    });
    expect(await bootError(deep)).toBe('Cannot handle the job "test_twice" twice: by "deep" and by "deep"');
    const inside = definePlugin({ name: "inside", setup: () => void sql.ref(undefined as never) });
    expect(await bootError(inside)).toMatch(
      /^Cannot set up the plugin "inside": .+ \(test\/core\/boot_faults_test\.ts:\d+\)$/,
    );
  });

  test("but not one whose app_boot meets the boot of another server: it is repeated", async () => {
    let attempts = 0;
    const seeding = definePlugin({
      name: "seeding",
      setup({ on }) {
        on("app_boot", {
          async inTransaction() {
            attempts += 1;
            if (attempts === 1) throw Object.assign(new Error("duplicate key"), { code: "23505" });
          },
        });
      },
    });
    expect(await bootError(seeding)).toBe("booted");
    expect(attempts).toBe(2);
  });

  test("whose setup does not end within its limit", async () => {
    const stuck = definePlugin({ name: "stuck", setup: () => new Promise<void>(() => {}) });
    const limitMs = scaled(150);
    const constants = { core: { setupTimeoutMs: limitMs } };
    const boots = bootTestRuntime({ extra: [stuck], constants, beside: base, only: FEW });
    await expect(boots).rejects.toThrow(`The setup of the plugin "stuck" did not end within ${limitMs} ms`);
  });

  const never = () => new Promise<never>(() => {});
  test.each<[string, Partial<AnyPlugin>, RegExp]>([
    [
      "migration never ends",
      { migrations: { "0001_stuck": never } },
      /^Cannot migrate plugin "stuck" at step "0001_stuck": Nothing happened in it for (\d+) ms; nothing of this step was kept$/,
    ],
    [
      "syncSchema never ends",
      { syncSchema: never },
      /^Cannot bring the schema of the plugin "stuck" up to date: Nothing happened in it for (\d+) ms$/,
    ],
    [
      "extend never ends",
      { extend: never },
      /^Cannot load the plugins that "stuck" adds: It did not end within (\d+) ms$/,
    ],
    [
      "app_boot never ends",
      { setup: ({ on }) => on("app_boot", { inTransaction: never }) },
      /^The plugin "stuck" stopped the boot: "inTransaction of app_boot" did not go on in time$/,
    ],
    [
      "app_boot never begins",
      { setup: ({ on }) => on("app_boot", { beforeTransaction: never }) },
      /^The plugin "stuck" stopped the boot: "beforeTransaction of app_boot" did not go on in time$/,
    ],
  ])("whose %s, and says meanwhile what it waits for", async (title, parts, message) => {
    const stuck: AnyPlugin = { ...definePlugin({ name: "stuck", setup: () => {} }), ...parts };
    const limits = { env: { LOG_LEVEL: "warn" }, constants: { core: { setupTimeoutMs: scaled(300) } } };
    const written = spyOn(process.stderr, "write").mockImplementation(() => true);
    try {
      const boots = bootTestRuntime({ ...limits, extra: [stuck], beside: base, only: FEW });
      await expect(boots).rejects.toThrow(message);
      const lines = written.mock.calls.map(([line]) => String(line));
      // Plugins are loaded before there is a log.
      if (parts.extend === undefined)
        expect(lines.find((line) => line.includes("The start waits for a plugin"))).toContain('"plugin":"stuck"');
      if (title !== "app_boot never ends") return;
      written.mockClear();
      await Bun.sleep(scaled(300));
      expect(written).not.toHaveBeenCalled();
    } finally {
      written.mockRestore();
    }
  });

  test.each([
    ["a job without tries", { tries: 0 }, '"tries" is 0, wanted a whole number from 1'],
    ["a pause that is none", { pauseMs: { first: Number.NaN } }, '"first" of "pauseMs" is NaN, wanted a number from 0'],
  ])("that handles %s", async (_title, options, text) => {
    const odd = definePlugin({
      name: "odd",
      setup: ({ jobs }) => jobs.handle("test_odd" as never, async () => {}, options),
    });
    expect(await bootError(odd)).toBe(`Cannot handle the job "test_odd": ${text}`);
  });

  test("whose schedule has no interval", async () => {
    const odd = definePlugin({
      name: "odd",
      setup: ({ jobs }) => jobs.every("tick", 0.5, async () => {}),
    });
    expect(await bootError(odd)).toBe(
      'The plugin "odd" schedules "odd:tick" every 0.5 ms; wanted a whole number from 1',
    );
  });

  test("that creates the table of another", async () => {
    const twin = definePlugin({
      name: "twin",
      migrations: {
        async "0001_init"(db) {
          await sql`create table tags (id integer)`.execute(db);
        },
      },
      setup: () => {},
    });
    const boots = bootTestRuntime({ extra: [twin], beside: base, only: WITH_BOOKS });
    await expect(boots).rejects.toThrow(
      /Cannot migrate plugin "twin" at step "0001_init": relation "tags" already exists.*The table exists already and is written by "tags"/,
    );
  });

  test("that serves a route of another one with a slash at its end", async () => {
    const sly = definePlugin({
      name: "sly",
      setup: ({ app }) => void app.get("/system/", () => "mine", { permit: "public" }),
    });
    expect(await bootError(sly)).toBe(
      'The plugin "sly" serves GET /api/system/, which the plugin "system" serves already',
    );
  });

  test("whose path names a parameter as another plugin does not", async () => {
    const odd = definePlugin({
      name: "odd",
      setup: ({ app }) => void app.get("/books/:slug", () => "mine", { permit: "public" }),
    });
    expect(await bootError(odd, WITH_BOOKS)).toEndWith(
      '("id") in the same location: "books" serves /api/books/:id, "odd" serves /api/books/:slug',
    );
  });
});

test.each([
  ["APP_URL", "javascript:alert(1)"],
  ["APP_URL", "docs.example.com"],
  ["APP_PROXIES", "proxy.example"],
  ["TRUSTED_PROXIES", "proxy.example"],
  ["ALLOW_PRIVATE_HOSTS", "intranet"],
  ["PORT", "99999"],
])("boot() refuses %s=%s and names the variable", async (variable, value) => {
  const refusal = await bootTestRuntime({ env: { [variable]: value }, beside: base, only: FEW }).then(
    () => "booted",
    (error: Error) => `${error.name} ${error.message}`,
  );
  expect(refusal).toContain(variable);
});
