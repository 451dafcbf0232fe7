/** Plugins that never answer or fail outside of requests: jobs, hooks of starts and stops, listeners, contents of books. */
import { afterAll, beforeAll, expect, type Mock, setDefaultTimeout, spyOn, test } from "bun:test";
import type { ContentKind } from "lectern/contracts";
import { type AnyPlugin, BootError, definePlugin, type PluginContext, sql } from "lectern/core";
import { rows } from "lectern/db";
import { FEW, WITH_PAGES } from "../support/harness/few_plugins.ts";
import { createItems } from "../support/harness/item_tables.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";
import { until } from "../support/harness/until.ts";

setDefaultTimeout(120_000);

declare module "lectern/core" {
  interface Jobs {
    stuck_job: Record<string, never>;
    stuck_neighbour: Record<string, never>;
  }
}

const never = () => new Promise<never>(() => {});

/** The runtimes of all tests share its database. */
let base: TestRuntime;
beforeAll(async () => {
  base = await bootTestRuntime({ only: WITH_PAGES });
});
afterAll(() => base.stop());

/** A plugin whose setup is all that a test needs of it. */
function stuck(setup: (context: PluginContext) => void): AnyPlugin {
  return definePlugin({
    name: "stuck",
    grants: { write: ["stuck_items" as "pages"] },
    migrations: { "0001_init": (db) => createItems(db, "stuck_items") },
    setup,
  });
}

/** Runs something while lines of the log are collected. */
async function logged(run: () => Promise<void>): Promise<string> {
  const written: Mock<typeof process.stderr.write> = spyOn(process.stderr, "write").mockImplementation(() => true);
  try {
    await run();
    return written.mock.calls.map(([line]) => String(line)).join("");
  } finally {
    written.mockRestore();
  }
}

test("jobs that never end fail at the end of their lease, so that the jobs of others are done", async () => {
  let done = 0;
  const plugin = definePlugin({
    name: "stuck",
    setup({ jobs }) {
      jobs.handle("stuck_job", never, { tries: 1, leaseMs: 200 });
      jobs.handle("stuck_neighbour", async () => void done++);
    },
  });
  const runtime = await bootTestRuntime({ extra: [plugin], beside: base, only: FEW });
  try {
    // As many as jobs run at a time, and one more.
    for (let at = 0; at < 5; at++) await runtime.runtime.jobs.enqueue(runtime.db, "stuck_job", {});
    await runtime.runtime.jobs.enqueue(runtime.db, "stuck_neighbour", {});
    await runtime.runtime.jobs.drain();
    expect(done).toBe(1);
    const left = await rows<{ dead: boolean; last_error: string }>(runtime.db, sql`select dead, last_error from jobs`);
    const failed = { dead: true, last_error: "It did not end within its lease of 200 ms (leaseMs)" };
    expect(left).toEqual(Array.from({ length: 5 }, () => failed));
  } finally {
    await runtime.stop();
  }
});

test("a stop logs hooks of plugins that throw or never end, and goes on", async () => {
  let stopped = false;
  const plugin = stuck(({ onStop }) => {
    onStop(() => {
      stopped = true;
    });
    onStop(never);
    onStop(() => {
      throw new Error("stop broke");
    });
  });
  const runtime = await bootTestRuntime({
    ...{ extra: [plugin], beside: base, only: FEW },
    env: { LOG_LEVEL: "error" },
    constants: { core: { stopWorkTimeoutMs: 200 } },
  });
  const lines = await logged(() => runtime.stop());
  expect(stopped).toBe(true);
  expect(lines).toContain('"plugin":"stuck"');
  for (const text of ["stop broke", "It did not end within 200 ms"]) expect(lines).toContain(text);
});

test.each<[string, () => void | Promise<void>, RegExp]>([
  [
    "throws",
    () => {
      throw new Error("start broke");
    },
    /^Cannot start the plugin "stuck": start broke \(test\/core\/stuck_plugins_test\.ts:\d+\)$/,
  ],
  ["never ends", never, /^The start of the plugin "stuck" did not end within 2000 ms$/],
])("a hook of the start that %s stops the server and names the plugin", async (_title, hook, text) => {
  const runtime = await bootTestRuntime({
    ...{ extra: [stuck(({ onStart }) => onStart(hook))], beside: base, only: FEW },
    constants: { core: { setupTimeoutMs: 2_000 } },
  });
  try {
    const error = await runtime.runtime.start().catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(BootError);
    expect((error as BootError).message).toMatch(text);
  } finally {
    await runtime.stop();
  }
});

test("a listener to answers that fails is a fault, and the others are called", async () => {
  let heard = 0;
  const plugin = definePlugin({
    name: "stuck",
    requires: ["telemetry"],
    setup({ contracts: { telemetry } }) {
      telemetry.onAnswer(() => {
        throw new Error("listener broke");
      });
      telemetry.onAnswer(() => void heard++);
    },
  });
  const runtime = await bootTestRuntime({ extra: [plugin], beside: base, only: FEW });
  try {
    runtime.runtime.http.observers.notify({ method: "GET", route: "/api/books", status: 200, ms: 1 });
    expect(heard).toBe(1);
    expect(runtime.contexts.get("stuck")?.runtime.faults()).toMatchObject([
      { plugin: "stuck", place: "onAnswer", message: "listener broke", count: 1 },
    ]);
  } finally {
    await runtime.stop();
  }
});

test("a schedule that fails is shown to administrators beside other faults", async () => {
  const plugin = definePlugin({
    name: "stuck",
    setup({ jobs }) {
      jobs.every("tidy", 100, () => Promise.reject(new Error("no room left")));
    },
  });
  const runtime = await bootTestRuntime({ extra: [plugin], beside: base, only: FEW });
  try {
    await runtime.runtime.start();
    const faults = () => runtime.contexts.get("stuck")?.runtime.faults() ?? [];
    await until(() => faults().length > 0);
    expect(faults()).toMatchObject([{ plugin: "stuck", place: "schedule tidy", message: "no room left" }]);
  } finally {
    await runtime.stop();
  }
});

const KIND: ContentKind = {
  ...({
    kind: "stuck",
    table: "stuck_items" as "pages",
    segment: "stuck",
    parents: [],
    columns: ["id", "name"],
  } as const),
  path: sql.lit("/stuck"),
};

test.each<[string, object]>([
  ["whose SQL fails", { selectContents: () => sql`(select json_build_array(1 / (select 0)))` }],
  ["whose SQL is no list of entries", { selectContents: () => sql`json_build_array(null)` }],
  ["that are no list", { contents: async () => ({ no: "list" }) }],
  ["that no JSON can hold", { contents: async () => [{ id: 1n }] }],
])("contents of a book %s are left out", async (_title, contents) => {
  const runtime: TestRuntime = await bootTestRuntime({
    ...{ extra: [stuck(({ contribute }) => contribute("content", { ...KIND, ...contents }))], beside: base },
    only: WITH_PAGES,
    // Others cannot select in the statement that reads the book.
    areShipped: "selectContents" in contents,
  });
  try {
    const { body: book } = await runtime.ask("POST", "/api/books", { body: { name: "Steady" } });
    await runtime.ask("POST", "/api/pages", { body: { name: "Page", html: "<p>x</p>", book_id: book.id } });
    const { status, body } = await runtime.ask("GET", `/api/books/${book.id}`);
    expect([status, body.contents]).toEqual([200, [expect.objectContaining({ name: "Page" })]]);
    expect(runtime.contexts.get("stuck")?.runtime.faults()).toMatchObject([
      { plugin: "stuck", place: "content contents" },
    ]);
  } finally {
    await runtime.stop();
  }
});
