/** What `migrate-from` makes of sources that know or show less, and of calls that cannot be meant. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { configSchema, createLog, type Listening, listen, readSettings } from "lectern/core";
import plugins from "../../plugins/mod.ts";
import { bootHouse, type TestHouse } from "../support/house.ts";
import { fill } from "../support/instance.ts";

setDefaultTimeout(60_000);

const URL_OF_SOURCE = "http://wiki.test";
let source: TestHouse;
let listening: Listening;
let gate: ReturnType<typeof Bun.serve>;
/** Whether the source is one of years ago, and what that does not know. */
let isOld = false;
const NEWER = /^\/api\/(?:system|comments|image-gallery\/(?:\d+\/data|url\/data))/;

beforeAll(async () => {
  source = await bootHouse({ env: { APP_URL: URL_OF_SOURCE } });
  listening = await listen(source.house, readSettings("lectern", configSchema, { PORT: "0" }), createLog("silent"));
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

/** Runs the command within a house of its own, which is empty but for what every one begins with. */
async function intoFreshHouse(token: string, ...more: string[]) {
  const house = await bootHouse();
  return { house, ...(await migrate(house, token, "--base-url", `http://127.0.0.1:${gate.port}`, ...more)) };
}

async function migrate(house: TestHouse, token: string, ...args: string[]) {
  const command = plugins.find(({ name }) => name === "migrate")?.commands["migrate-from"];
  const lines: string[] = [];
  const say = (line: string) => void lines.push(line);
  const io = { out: say, err: say, env: { MIGRATE_TOKEN: token }, columns: 80, tty: false };
  const code = await command?.run(args, io, house.contexts.get("migrate"));
  return { code, text: lines.join("\n") };
}

test("a server of years ago is copied as far as it goes", async () => {
  isOld = true;
  const { house, code, text } = await intoFreshHouse("adminid:adminsecret");
  isOld = false;
  expect([code, text]).toEqual([0, expect.stringContaining("The source shows no comments over its API")]);
  expect(text).toMatch(/pictures +4 created.*\ncovers +2 created.*\nattachments +2 created/);
  const { body } = await house.ask("GET", "/api/books?filter[name]=Runbooks");
  expect(body.data[0]).toMatchObject({ slug: "runbooks", cover: { name: "Rack front.png" } });
  const pages = await house.ask("GET", "/api/pages?filter[name]=Before+the+others");
  const { raw_html } = (await house.ask("GET", `/api/pages/${pages.body.data[0].id}`)).body;
  expect(raw_html).toContain(`${house.baseUrl}/books/runbooks/page/`);
  await house.stop();
});

test("a token that cannot read who may see what is refused, or copies what it sees on demand", async () => {
  const views = ["access-api", "book-view-all", "chapter-view-all", "page-view-all", "bookshelf-view-all"];
  const { token } = await source.person("cy", views);
  const refused = await intoFreshHouse(token);
  expect([refused.code, refused.text]).toEqual([2, expect.stringContaining("may not read content permissions")]);
  expect((await refused.house.ask("GET", "/api/books")).body.total).toBe(0);
  await refused.house.stop();
  const { house, code, text } = await intoFreshHouse(token, "--without-permissions");
  expect([code, text]).toEqual([0, expect.stringContaining("The token may not read users")]);
  const { body } = await house.ask("GET", "/api/pages?sort=name");
  expect(body.data.map(({ name, owned_by }: { name: string; owned_by: null }) => [name, owned_by])).toEqual([
    ["Before the others", null],
    ["Failover", null],
  ]);
  await house.stop();
});

test("calls that cannot be meant are refused before anything is written", async () => {
  const house = await bootHouse();
  const gated = `http://127.0.0.1:${gate.port}`;
  for (const [token, url, code, said] of [
    ["adminid:wrong", gated, 1, "check --token or MIGRATE_TOKEN"],
    ["nonsense", gated, 2, "Give a token as ID:SECRET by --token or MIGRATE_TOKEN"],
    ["adminid:adminsecret", "ftp://x", 2, "with http:// or https://"],
  ] as const)
    expect(await migrate(house, token, "--base-url", url)).toEqual({ code, text: expect.stringContaining(said) });
  expect((await house.ask("GET", "/api/books")).body.total).toBe(0);
  await house.stop();
  const itself = await migrate(source, "adminid:adminsecret", "--base-url", `http://127.0.0.1:${listening.port}/api/`);
  expect(itself).toEqual({ code: 2, text: "Cannot copy this server into itself: --base-url leads here" });
});
