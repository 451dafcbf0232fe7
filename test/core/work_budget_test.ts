/** The budget of processor time beside the limit of requests: who is refused what, and who never is. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { load } from "../../plugins/transfer/loader/load.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

const GRANTED = ["access-api", "book-view-all", "page-create-all"];
const HTML = "<p>Call the <strong>DBA</strong> on duty, at any hour.</p>".repeat(8_000);

let runtime: TestRuntime;
let second: TestRuntime;
beforeAll(async () => {
  const env = { API_REQUESTS_PER_MIN: "100000", RATE_LIMITS_SHARED: "true" };
  const constants = { core: { cpuSecondsPerMinute: 1 } };
  runtime = await bootTestRuntime({ env, constants });
  second = await bootTestRuntime({ env, constants, beside: runtime });
});
afterAll(async () => {
  await second.stop();
  await runtime.stop();
});

function asks({ runtime: { http } }: TestRuntime, token: string, address: string) {
  return async (method: string, path: string, body?: unknown): Promise<Response> => {
    const headers = { authorization: `Token ${token}`, "content-type": "application/json" };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    return http.handle(new Request(`http://localhost${path}`, { method, headers, ...sent }), address);
  };
}

type Ask = ReturnType<typeof asks>;

/** Has a large page previewed until that is refused. Returns the refusal, and the number of previews before it. */
async function worn(ask: Ask): Promise<{ refused: Response; previews: number }> {
  for (let previews = 0; previews < 200; previews++) {
    const refused = await ask("POST", "/api/drafts/preview", { html: HTML });
    if (refused.status !== 200) return { refused, previews };
  }
  throw new Error("Nothing was refused");
}

test("previews of a user end with a 429 that says when to try again; reading and others go on", async () => {
  const [ann, ben] = [await runtime.person("ann", GRANTED), await runtime.person("ben", GRANTED)];
  const askAnn = asks(runtime, ann.token, "192.0.2.1");
  const { refused, previews } = await worn(askAnn);
  const wait = refused.headers.get("retry-after");
  expect(Number(wait)).toBeWithin(1, 62);
  const message = `Your requests have taken too much processor time; try again in ${wait} seconds.`;
  expect([refused.status, await refused.json()]).toEqual([429, { error: { message, code: 429 } }]);
  expect((await askAnn("GET", "/api/books")).status).toBe(200);
  const answer = await asks(runtime, ben.token, "192.0.2.2")("POST", "/api/drafts/preview", { html: HTML });
  expect(answer.status).toBe(200);
  // Short content, which this process renders, is work as well.
  expect((await askAnn("POST", "/api/drafts/preview", { html: "<p>a</p>" })).status).toBe(429);
  // Another server learns of it when it charges the user itself.
  const elsewhere = await worn(asks(second, ann.token, "192.0.2.3"));
  expect([elsewhere.refused.status, elsewhere.previews <= previews / 2]).toEqual([429, true]);
});

test("many previews at once are refused while they wait, once those before them took the budget", async () => {
  const { token } = await runtime.person("cay", GRANTED);
  const ask = asks(runtime, token, "192.0.2.4");
  const answers = await Promise.all(
    Array.from({ length: 30 }, () => ask("POST", "/api/drafts/preview", { html: HTML })),
  );
  const count = (status: number) => answers.filter((answer) => answer.status === status).length;
  expect(count(200)).toBeGreaterThan(0);
  expect(count(429)).toBeGreaterThan(5);
  expect(count(200) + count(429)).toBe(30);
});

test("users of one address have twice as much together", async () => {
  const people = await Promise.all(["dan", "eve", "fay"].map((name) => runtime.person(name, GRANTED)));
  const [dan, eve, fay] = people.map(({ token }) => asks(runtime, token, "192.0.2.5")) as [Ask, Ask, Ask];
  for (const ask of [dan, eve]) expect((await worn(ask)).refused.status).toBe(429);
  expect((await fay("POST", "/api/drafts/preview", { html: HTML })).status).toBe(429);
});
test("`load` of long pages stays within what the default allows for its requests", async () => {
  const pages = 30;
  // Two requests for each page, and few beside these: the quarter of a second that each may take by default.
  const cpuSecondsPerMinute = (2 * pages) / 4;
  const own = await bootTestRuntime({
    env: { API_REQUESTS_PER_MIN: "100000" },
    constants: { core: { cpuSecondsPerMinute } },
  });
  const folder = mkdtempSync(join(tmpdir(), "lectern-load-"));
  const statuses: number[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const answer = await own.runtime.http.handle(request, "192.0.2.6");
      statuses.push(answer.status);
      return answer;
    },
  });
  try {
    const section =
      "## Part\n\nCall the **DBA** on duty, at any [hour](other.md).\n\n- one\n- two\n\n```sh\nls\n```\n\n";
    for (let at = 0; at < pages; at++)
      writeFileSync(join(folder, `page_${at}.md`), `# Page ${at}\n\n${section.repeat(500)}`);
    const listener = { begin() {}, step() {}, say() {} };
    const baseUrl = `http://127.0.0.1:${server.port}`;
    const report = await load({ folder, baseUrl, token: own.token, concurrency: 4 }, listener);
    expect(report.pages).toMatchObject({ created: pages, failed: 0 });
    expect([statuses.length > pages, statuses.filter((status) => status !== 200)]).toEqual([true, []]);
  } finally {
    await server.stop(true);
    rmSync(folder, { recursive: true, force: true });
    await own.stop();
  }
});
