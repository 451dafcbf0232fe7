/** `migrate-from` with sources that have or show less, and with wrong arguments. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { configSchema } from "../../core/config.ts";
import { createLog } from "../../core/log.ts";
import { readSettings } from "../../core/runtime/settings.ts";
import { type Listening, listen } from "../../core/workers/listen.ts";
import plugins from "../../plugins/mod.ts";
import { fill } from "../support/data/sample_instance.ts";
import { scaled } from "../support/harness/machine_speed.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

setDefaultTimeout(scaled(60_000));

const URL_OF_SOURCE = "http://wiki.test";
let source: TestRuntime;
let listening: Listening;
let proxy: ReturnType<typeof Bun.serve>;
/** Whether the source is an old version, and the routes it does not have. */
let isOld = false;
/** Whether the source refuses to show its audit log. */
let hidesLog = false;
/** Paths that the source was asked for. */
const asked: string[] = [];
const NEWER = /^\/api\/(?:system|comments|image-gallery\/(?:\d+\/data|url\/data))/;

beforeAll(async () => {
  source = await bootTestRuntime({ env: { APP_URL: URL_OF_SOURCE } });
  listening = await listen(source.runtime, readSettings("lectern", configSchema, { PORT: "0" }), createLog("silent"));
  const { port } = listening;
  await fill(
    { port, authorization: `Token ${source.token}`, ask: (method, path, body) => source.ask(method, path, { body }) },
    URL_OF_SOURCE,
  );
  proxy = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      asked.push(pathname);
      if (hidesLog && pathname === "/api/audit-log")
        return Response.json({ error: { message: "No permission" } }, { status: 403 });
      if (isOld && NEWER.test(pathname)) return Response.json({ error: { message: "No such" } }, { status: 404 });
      const authorization = request.headers.get("authorization") ?? "";
      const headers = { authorization, "accept-encoding": "identity" };
      const answer = await fetch(`http://127.0.0.1:${port}${pathname}${search}`, { headers });
      if (!isOld || !/^\/api\/pages\/\d+$/.test(pathname)) return answer;
      const { comments: _, ...page } = (await answer.json()) as Record<string, unknown>;
      return Response.json(page);
    },
  });
});
afterAll(async () => {
  await proxy?.stop(true);
  await listening?.stop();
});

/** Runs the command within a runtime of its own, which is empty but for what every new one has. */
async function intoFreshRuntime(token: string, ...more: string[]) {
  const runtime = await bootTestRuntime();
  return { runtime, ...(await migrate(runtime, token, "--base-url", `http://127.0.0.1:${proxy.port}`, ...more)) };
}

async function migrate(runtime: TestRuntime, token: string, ...args: string[]) {
  const command = plugins.find(({ name }) => name === "migrate")?.commands["migrate-from"];
  const lines: string[] = [];
  const say = (line: string) => void lines.push(line);
  const io = { out: say, err: say, env: { MIGRATE_TOKEN: token }, columns: 80, tty: false };
  const code = await command?.run(args, io, runtime.contexts.get("migrate"));
  return { code, text: lines.join("\n") };
}

test("a server of years ago is copied as far as it goes", async () => {
  isOld = true;
  const { runtime, code, text } = await intoFreshRuntime("adminid:adminsecret");
  isOld = false;
  expect([code, text]).toEqual([0, expect.stringContaining("No comments are copied")]);
  expect(text).toMatch(/images +4 created.*\ncovers +2 created.*\nattachments +2 created/);
  const { body } = await runtime.ask("GET", "/api/books?filter[name]=Runbooks");
  expect(body.data[0]).toMatchObject({ slug: "runbooks", cover: { name: "Rack front.png" } });
  const pages = await runtime.ask("GET", "/api/pages?filter[name]=Before+the+others");
  const { raw_html } = (await runtime.ask("GET", `/api/pages/${pages.body.data[0].id}`)).body;
  expect(raw_html).toContain(`${runtime.baseUrl}/books/runbooks/page/`);
  await runtime.stop();
});

/** Ids of items by name. */
async function idOf(of: TestRuntime, segment: string, name: string): Promise<number> {
  const { body } = await of.ask("GET", `/api/${segment}?filter[name]=${encodeURIComponent(name)}`);
  return body.data[0].id;
}

/** The requests for single items and their permissions, without those of books, shelves and roles, which are always read. */
function readsOf(paths: readonly string[]): string[] {
  return paths
    .filter((path) => /\/\d+$/.test(path) && !/\/(?:roles|shelves|bookshelf|content-permissions\/book)\//.test(path))
    .sort();
}

test("run again, it asks for what changed alone, also for what shows no other time", async () => {
  const { runtime, code } = await intoFreshRuntime("adminid:adminsecret");
  expect(code).toBe(0);
  const again = async (...more: string[]) => {
    asked.length = 0;
    const { text, code } = await migrate(
      runtime,
      "adminid:adminsecret",
      ...["--base-url", `http://127.0.0.1:${proxy.port}`, ...more],
    );
    expect(code).toBe(0);
    return { text, reads: readsOf(asked) };
  };
  const put = async (path: string, body: object) =>
    expect((await source.ask("PUT", path, { body })).status).toBeLessThan(300);
  const unchanged = await again();
  expect(unchanged.reads).toEqual([]);
  expect(unchanged.text).toMatch(
    /pages +0 created, 0 updated, 3 unchanged\ncomments +0 created, 0 updated, 6 unchanged/,
  );

  const [first, secret] = [await idOf(source, "pages", "Failover"), await idOf(source, "pages", "Secret")];
  const chapter = await idOf(source, "chapters", "Databases");
  const [book, shelf] = [await idOf(source, "books", "Taken"), await idOf(source, "shelves", "Operations")];
  const restricted = {
    role_permissions: [],
    fallback_permissions: { inheriting: false, view: false, create: false, update: false, delete: false },
  };
  await put(`/api/content-permissions/chapter/${chapter}`, restricted);
  await put(`/api/content-permissions/book/${book}`, restricted);
  await put(`/api/shelves/${shelf}`, { books: [book] });
  await put(`/api/pages/${secret}`, { tags: [{ name: "late", value: "1" }] });
  await source.ask("POST", "/api/comments", { body: { page_id: first, html: "<p>late</p>" } });
  const changed = await again();
  expect(changed.reads).toEqual(
    [
      `/api/books/${book}`,
      `/api/chapters/${chapter}`,
      ...[first, secret].map((id) => `/api/pages/${id}`),
      ...[`chapter/${chapter}`, `page/${first}`, `page/${secret}`].map((item) => `/api/content-permissions/${item}`),
    ].sort(),
  );
  const own = async (path: string) => (await runtime.ask("GET", path)).body;
  for (const [kind, id] of [
    ["chapter", await idOf(runtime, "chapters", "Databases")],
    ["book", await idOf(runtime, "books", "Taken")],
  ])
    expect((await own(`/api/content-permissions/${kind}/${id}`)).fallback_permissions.inheriting).toBe(false);
  expect((await own(`/api/shelves/${await idOf(runtime, "shelves", "Operations")}`)).books).toHaveLength(1);
  expect((await own(`/api/pages/${await idOf(runtime, "pages", "Secret")}`)).tags).toMatchObject([{ name: "late" }]);
  const failover = await own(`/api/pages/${await idOf(runtime, "pages", "Failover")}`);
  expect(failover.comments.active.map((one: { comment: { html: string } }) => one.comment.html)).toContain(
    "<p>late</p>",
  );

  // Without the log the permissions of each item are asked for, and with another log than the last one too.
  const inherited = { ...restricted, fallback_permissions: { inheriting: true } };
  await put(`/api/content-permissions/chapter/${chapter}`, inherited);
  hidesLog = true;
  const hidden = await again();
  hidesLog = false;
  expect(hidden.reads.filter((path) => !path.startsWith("/api/content-permissions/"))).toEqual([
    `/api/chapters/${chapter}`,
  ]);
  expect(
    (await own(`/api/content-permissions/chapter/${await idOf(runtime, "chapters", "Databases")}`)).fallback_permissions
      .inheriting,
  ).toBe(true);
  expect((await again()).reads).toHaveLength(4);
  await put(`/api/content-permissions/page/${first}`, restricted);
  await source.db.deleteFrom("activities").execute();
  await put(`/api/pages/${first}`, { name: "Failover" });
  expect((await again()).reads).toContain(`/api/pages/${first}`);
  expect((await again()).reads).toEqual([]);
  expect((await again("--all")).reads).toHaveLength(2 + 2 * 4);
  for (const item of [`book/${book}`, `page/${first}`]) await put(`/api/content-permissions/${item}`, inherited);
  await runtime.stop();
});

test("a token that cannot read who may see what is refused, or copies what it sees on demand", async () => {
  const views = ["access-api", "book-view-all", "chapter-view-all", "page-view-all", "bookshelf-view-all"];
  const { token } = await source.person("cy", views);
  const refused = await intoFreshRuntime(token);
  expect([refused.code, refused.text]).toEqual([2, expect.stringContaining("may not read content permissions")]);
  expect((await refused.runtime.ask("GET", "/api/books")).body.total).toBe(0);
  await refused.runtime.stop();
  const { runtime, code, text } = await intoFreshRuntime(token, "--without-permissions");
  expect([code, text]).toEqual([0, expect.stringContaining("The token may not read users")]);
  const { body } = await runtime.ask("GET", "/api/pages?sort=name");
  expect(body.data.map(({ name, owned_by }: { name: string; owned_by: null }) => [name, owned_by])).toEqual([
    ["Before the others", null],
    ["Failover", null],
  ]);
  await runtime.stop();
});

test("calls that cannot be meant are refused before anything is written", async () => {
  const runtime = await bootTestRuntime();
  const proxied = `http://127.0.0.1:${proxy.port}`;
  for (const [token, url, code, said] of [
    ["adminid:wrong", proxied, 1, "check --token or MIGRATE_TOKEN"],
    ["nonsense", proxied, 2, "Give a token as ID:SECRET by --token or MIGRATE_TOKEN"],
    ["adminid:adminsecret", "ftp://x", 2, "with http:// or https://"],
  ] as const)
    expect(await migrate(runtime, token, "--base-url", url)).toEqual({ code, text: expect.stringContaining(said) });
  expect((await runtime.ask("GET", "/api/books")).body.total).toBe(0);
  await runtime.stop();
  const itself = await migrate(source, "adminid:adminsecret", "--base-url", `http://127.0.0.1:${listening.port}/api/`);
  expect(itself).toEqual({ code: 2, text: "Cannot copy this server into itself: --base-url leads here" });
});
