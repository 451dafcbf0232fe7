/** What `migrate-from` makes of sources that know or show less, and of calls that cannot be meant. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { configSchema } from "../../core/config.ts";
import { type Listening, listen } from "../../core/http/listen.ts";
import { createLog } from "../../core/log.ts";
import { readSettings } from "../../core/runtime/settings.ts";
import plugins from "../../plugins/mod.ts";
import { fill } from "../support/data/sample_instance.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

setDefaultTimeout(60_000);

const URL_OF_SOURCE = "http://wiki.test";
let source: TestRuntime;
let listening: Listening;
let gate: ReturnType<typeof Bun.serve>;
/** Whether the source is one of years ago, and what that does not know. */
let isOld = false;
const NEWER = /^\/api\/(?:system|comments|image-gallery\/(?:\d+\/data|url\/data))/;

beforeAll(async () => {
  source = await bootTestRuntime({ env: { APP_URL: URL_OF_SOURCE } });
  listening = await listen(source.runtime, readSettings("lectern", configSchema, { PORT: "0" }), createLog("silent"));
  const { port } = listening;
  await fill(
    { port, authorization: `Token ${source.token}`, ask: (method, path, body) => source.ask(method, path, { body }) },
    URL_OF_SOURCE,
  );
  gate = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      if (isOld && NEWER.test(pathname)) return Response.json({ error: { message: "No such" } }, { status: 404 });
      const authorization = request.headers.get("authorization") ?? "";
      const answer = await fetch(`http://127.0.0.1:${port}${pathname}${search}`, { headers: { authorization } });
      if (!isOld || !/^\/api\/pages\/\d+$/.test(pathname)) return answer;
      const { comments: _, ...page } = (await answer.json()) as Record<string, unknown>;
      return Response.json(page);
    },
  });
});
afterAll(async () => {
  await gate?.stop(true);
  await listening?.stop();
});

/** Runs the command within a runtime of its own, which is empty but for what every one begins with. */
async function intoFreshRuntime(token: string, ...more: string[]) {
  const runtime = await bootTestRuntime();
  return { runtime, ...(await migrate(runtime, token, "--base-url", `http://127.0.0.1:${gate.port}`, ...more)) };
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
  const gated = `http://127.0.0.1:${gate.port}`;
  for (const [token, url, code, said] of [
    ["adminid:wrong", gated, 1, "check --token or MIGRATE_TOKEN"],
    ["nonsense", gated, 2, "Give a token as ID:SECRET by --token or MIGRATE_TOKEN"],
    ["adminid:adminsecret", "ftp://x", 2, "with http:// or https://"],
  ] as const)
    expect(await migrate(runtime, token, "--base-url", url)).toEqual({ code, text: expect.stringContaining(said) });
  expect((await runtime.ask("GET", "/api/books")).body.total).toBe(0);
  await runtime.stop();
  const itself = await migrate(source, "adminid:adminsecret", "--base-url", `http://127.0.0.1:${listening.port}/api/`);
  expect(itself).toEqual({ code: 2, text: "Cannot copy this server into itself: --base-url leads here" });
});
