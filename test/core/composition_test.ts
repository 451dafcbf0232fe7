/**
 * What plugins are composed of: optional contracts, order, and shipped plugins that are left out or replaced. What is left out
 * leaves no link to a screen or a route that is gone.
 */
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { type AnyPlugin, BootError, definePlugin } from "lectern/core";
import { createLog } from "../../core/log.ts";
import { recordPlugins } from "../../core/runtime/versions.ts";
import { answerAs, crawl } from "../support/harness/crawl.ts";
import { FEW } from "../support/harness/few_plugins.ts";
import { bootTestRuntime } from "../support/harness/test_runtime.ts";

declare module "lectern/core" {
  interface Contracts {
    test_weather: { today(): string };
  }
}

setDefaultTimeout(120_000);

async function bootError(options: Parameters<typeof bootTestRuntime>[0]): Promise<string> {
  try {
    const runtime = await bootTestRuntime(options);
    await runtime.stop();
    return "booted";
  } catch (error) {
    if (!(error instanceof BootError)) throw error;
    return error.message;
  }
}

const almanac = definePlugin({
  name: "test-almanac",
  uses: ["test_weather"],
  requires: ["users"],
  setup({ app, contracts }) {
    // A required contract is there by type, an optional one may be undefined.
    const required: object = contracts.users;
    // @ts-expect-error the service may be undefined
    const optional = () => contracts.test_weather.today();
    app.get("/test-almanac", () => ({ today: contracts.test_weather?.today() ?? "unknown", is: typeof required }), {
      permit: "public",
      detail: { summary: typeof optional },
    });
  },
});

const weather = definePlugin({
  name: "test-weather",
  provides: ["test_weather"],
  setup: ({ provide }) => provide("test_weather", { today: () => "rain" }),
});

describe("an optional contract", () => {
  test.each<[string, readonly AnyPlugin[]]>([
    ["unknown", [almanac]],
    ["rain", [almanac, weather]],
  ])("answers %s", async (today, extra) => {
    const runtime = await bootTestRuntime({ extra, only: FEW });
    const { body } = await runtime.ask("GET", "/api/test-almanac", { as: null });
    await runtime.stop();
    expect(body).toEqual({ today, is: "object" });
  });
});

const postbox = (sent: string[]) =>
  definePlugin({
    name: "test-postbox",
    provides: ["mail"],
    setup({ provide }) {
      provide("mail", { isConfigured: true, send: async ({ to }) => void sent.push(String(to)) });
    },
  });

describe("a shipped plugin that is left out", () => {
  test("is replaced by another provider of its contract", async () => {
    const sent: string[] = [];
    const runtime = await bootTestRuntime({ without: ["mail"], extra: [postbox(sent)] });
    await runtime.ask("POST", "/api/users", { body: { name: "Ida", email: "ida@example.com", send_invite: true } });
    await runtime.runtime.jobs.drain();
    await runtime.stop();
    expect(sent).toEqual(["ida@example.com"]);
  });

  test("is named with what would replace it, and with what needs it", async () => {
    expect(await bootError({ extra: [postbox([])] })).toBe(
      'Both "mail" and "test-postbox" provide "mail"; one must go: to replace "mail", write ' +
        '{"from":"lectern/plugins","without":["mail"]} instead of "lectern/plugins" in "plugins" of the "lectern" block of package.json',
    );
    expect(await bootError({ without: ["mail"] })).toBe(
      'The plugins "users", "watching", "web", "web_settings" require "mail", which no plugin provides; the shipped plugin "mail" does, which is left out',
    );
    expect(await bootError({ without: ["roles"] })).toEndWith(
      'needs the permission "settings-manage", which no plugin adds; the shipped plugin "roles" does, which is left out',
    );
    expect(await bootError({ without: ["comments"] })).toBe(
      'The plugin "migrate" needs the table "comments", which no plugin creates; the shipped plugin "comments" does, which is left out',
    );
    expect(await bootError({ without: ["books"] })).toContain(
      'relation "books" does not exist; nothing of this step was kept; no plugin creates "books"; the shipped plugin "books" does',
    );
    expect(await bootError({ without: ["serch"] })).toBe(
      'Cannot leave out "serch" of "lectern/plugins": it has no plugin of that name; did you mean "search"?',
    );
  });

  // Sets that go together, so that few boots and crawls cover every plugin that can be left out, each with addresses that are gone.
  test.each<[readonly string[], readonly string[]]>([
    [
      ["search", "book_sort", "webhooks", "web_editing"],
      ["/api/search", "/api/webhooks", "/create-book"],
    ],
    [["dashboard", "exports", "recycle_bin", "imports", "docs", "loader"], ["/api/recycle-bin"]],
    [["migrate", "comments", "attachments", "images"], ["/api/comments"]],
    [
      ["audit_log", "tokens", "page_drafts", "web_account", "web_settings", "web_integrations", "web_diagrams"],
      ["/api/audit-log", "/my-account"],
    ],
    [
      ["migrate", "content_permissions", "links", "slug_history", "dashboard", "hosts", "dashboard_keys", "languages"],
      ["/api/content-permissions/book/1", "/api/v1/dashboard/keys"],
    ],
  ])("%p: no screen links to what is gone", async (without, gone) => {
    const runtime = await bootTestRuntime({ without });
    try {
      const { visited, broken } = await crawl(runtime);
      expect(broken).toEqual([]);
      expect(visited).toContain("/books/book/page/page");
      const api = without.includes("docs") ? undefined : await answerAs(runtime, "GET", "/api/openapi.json");
      for (const path of gone) {
        const { status, body } = await runtime.ask("GET", path, { as: null });
        expect([path, status]).toEqual([path, 404]);
        if (path.startsWith("/api/")) expect(body).toMatchObject({ error: { code: 404 } });
        if (api) expect(Object.keys((api as { paths: object }).paths)).not.toContain(path);
      }
    } finally {
      await runtime.stop();
    }
  });

  test("lets a search that needs its table find nothing instead of failing", async () => {
    const runtime = await bootTestRuntime({ without: ["comments", "content_permissions", "migrate"] });
    await runtime.ask("POST", "/api/books", { body: { name: "Book" } });
    for (const [query, total] of [
      ["{sort_by:last_commented}", 0],
      ["{is_restricted}", 0],
      ["{-is_restricted}", 1],
    ] as const)
      expect([query, (await runtime.ask("GET", `/api/search?query=${query}`)).body.total]).toEqual([query, total]);
    await runtime.stop();
  });
});

test("a boot writes what is stored about plugins only where it changed", async () => {
  const extra = (version: string) => [definePlugin({ name: "test-recorded", version, setup() {} })];
  const first = await bootTestRuntime({ extra: extra("1.0.0") });
  // xmin is the transaction that wrote the row.
  const written = async (): Promise<Map<string, string>> => {
    const rows = await first.store.sql<
      { name: string; xmin: string }[]
    >`select name, xmin from installed_plugins where name <> 'core'`;
    return new Map(rows.map(({ name, xmin }) => [name, String(xmin)]));
  };
  const before = await written();
  const again = async (version: string) => {
    await (await bootTestRuntime({ extra: extra(version), beside: first })).stop();
    return [...(await written())].filter(([name, xmin]) => before.get(name) !== xmin).map(([name]) => name);
  };
  expect([before.size > 40, await again("1.0.0")]).toEqual([true, []]);
  expect(await again("1.1.0")).toEqual(["test-recorded"]);
  await first.stop();
});

test("a plugin that is older than the version that ran before is reported, until it is as new again", async () => {
  const at = (version: string) => definePlugin({ name: "test-versioned", version, setup() {} });
  const runtime = await bootTestRuntime({ extra: [at("1.10.0")], only: FEW });
  const warned = async (version: string): Promise<string[]> => {
    const lines: string[] = [];
    await recordPlugins(
      runtime.db,
      [{ plugin: at(version), registered: { jobs: [], kinds: [] } }],
      createLog("warn", (line) => lines.push(line)),
    );
    return lines.map((line) => String((JSON.parse(line) as { newest: string }).newest));
  };
  const found = [await warned("1.9.0"), await warned("1.9.0"), await warned("1.10.0"), await warned("1.11.0")];
  const [row] = await runtime.store.sql`select version from installed_plugins where name = 'test-versioned'`;
  await runtime.stop();
  expect([found, row]).toEqual([[["1.10.0"], ["1.10.0"], [], []], { version: "1.11.0" }]);
  expect(
    await bootError({ extra: [definePlugin({ name: "test-next", lectern: ">=99", setup() {} })], only: FEW }),
  ).toStartWith('The plugin "test-next" requires Lectern >=99, and this is ');
});
