/**
 * Three servers on one database and one folder of files, as behind a proxy that sends each request to any of them: what a user
 * does at one holds at the others. `two_servers_test.ts` has tokens, permissions, jobs, schedules, webhooks and limits.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { installed, sampleHosts } from "../support/data/sample_hosts.ts";
import { png } from "../support/data/sample_pictures.ts";
import { form } from "../support/harness/attachments.ts";
import { type Answer, bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";
import { until } from "../support/harness/until.ts";

const ATTEMPTS = 3;
const PASSWORD = "long enough";
let servers: [TestRuntime, TestRuntime, TestRuntime];
let book: number;
beforeAll(async () => {
  const env = { SIGN_IN_ATTEMPTS: String(ATTEMPTS), HOSTS_REQUESTS_PER_MIN: "0", DASHBOARD_RATE_LIMIT_MAX: "0" };
  const first = await bootTestRuntime({ env });
  const shared = { env: { ...env, DATA_DIR: first.dataDir }, beside: first };
  servers = [first, await bootTestRuntime(shared), await bootTestRuntime(shared)];
  for (const { runtime } of servers) await runtime.start();
  book = (await first.ask("POST", "/api/books", { body: { name: "Shared" } })).body.id;
}, 120_000);
afterAll(async () => {
  for (const server of [...servers].reverse()) await server.stop();
});

const everywhere = (run: (server: TestRuntime) => Promise<Answer>) =>
  Promise.all(servers.map(async (server) => (await run(server)).status));

async function person(name: string): Promise<string> {
  const { id } = await servers[0].person(name, ["access-api", "book-view-all"]);
  return (await servers[0].ask("PUT", `/api/users/${id}`, { body: { password: PASSWORD } })).body.email;
}

const signIn = (server: TestRuntime, email: string, password = PASSWORD) =>
  server.ask("POST", "/api/session", { as: null, body: { email, password } });

test("a session begun at one server is one at all, and ends at all", async () => {
  const [one, two] = servers;
  const { headers } = await signIn(one, await person("Ann"));
  const cookie = headers.get("set-cookie")?.split(";")[0] ?? "";
  const me = (server: TestRuntime) => server.ask("GET", "/api/users/me", { as: null, headers: { cookie } });
  expect(await everywhere(me)).toEqual([200, 200, 200]);
  expect((await two.ask("DELETE", "/api/session", { as: null, headers: { cookie } })).status).toBeLessThan(300);
  // An ended session is that of a guest, who may not use the API.
  expect(
    await until(
      () => everywhere(me),
      (found) => !found.includes(200),
    ),
  ).toEqual([403, 403, 403]);
});

test("attempts to sign in are counted over all servers", async () => {
  const email = await person("Ben");
  const seen: number[] = [];
  for (let at = 0; at < ATTEMPTS + 1; at++)
    seen.push((await signIn(servers[at % 3] as TestRuntime, email, "a wrong one")).status);
  expect(seen).toEqual([401, 401, 401, 429]);
});

test("drafts are seen at every server, and of edits that start at one revision one is kept", async () => {
  const [one, two, three] = servers;
  const { id } = (await one.ask("POST", "/api/pages", { body: { book_id: book, name: "Page", html: "<p>0</p>" } }))
    .body;
  await two.ask("PUT", `/api/drafts/page/${id}`, { body: { name: "Page", markdown: "# Mine", base_revision: 1 } });
  expect((await three.ask("GET", `/api/drafts/page/${id}`)).body.draft.markdown).toBe("# Mine");
  const edits = await Promise.all(
    servers.map((server, at) =>
      server.ask("PUT", `/api/pages/${id}`, { body: { html: `<p>${at}</p>`, base_revision: 1 } }),
    ),
  );
  expect(edits.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
  const kept = edits.findIndex(({ status }) => status === 200);
  for (const server of servers)
    expect((await server.ask("GET", `/api/pages/${id}`)).body.raw_html).toContain(`>${kept}<`);
});

test("a page with an include shows a change that was made at another server", async () => {
  const [one, two, three] = servers;
  const make = async (body: object) =>
    (await one.ask("POST", "/api/pages", { body: { book_id: book, ...body } })).body.id as number;
  const source = await make({ name: "Source", html: "<p>before</p>" });
  const shown = await make({ name: "Shown", html: `<p>{{@${source}}}</p>` });
  const html = async () => (await three.ask("GET", `/api/pages/${shown}`)).body.html as string;
  expect(await html()).toContain("before");
  await two.ask("PUT", `/api/pages/${source}`, { body: { html: "<p>after</p>" } });
  expect(await until(html, (text) => text.includes("after"))).not.toContain("before");
});

test("attachments and images that one server took are served by the others", async () => {
  const [one, two, three] = servers;
  const { id } = (await one.ask("POST", "/api/pages", { body: { book_id: book, name: "Files", html: "<p>x</p>" } }))
    .body;
  const file = new File(["a,b\n"], "list.csv", { type: "text/csv" });
  const attached = await two.ask("POST", "/api/attachments", {
    parts: form({ name: "List", uploaded_to: String(id), file }),
  });
  for (const server of servers) {
    const { content } = (await server.ask("GET", `/api/attachments/${attached.body.id}`)).body;
    expect(Buffer.from(content, "base64").toString()).toBe("a,b\n");
  }
  const image = new File([png()], "dot.png", { type: "image/png" });
  const stored = await three.ask("POST", "/api/image-gallery", {
    parts: form({ type: "gallery", uploaded_to: String(id), image }),
  });
  const path = new URL(stored.body.url).pathname;
  expect(await everywhere((server) => server.ask("GET", path, { as: null }))).toEqual([200, 200, 200]);
  await one.ask("DELETE", `/api/attachments/${attached.body.id}`);
  expect(await everywhere((server) => server.ask("GET", `/api/attachments/${attached.body.id}`))).toEqual([
    404, 404, 404,
  ]);
});

test("reports of hosts that reach different servers are counted once each, and every server shows the same", async () => {
  const [one] = servers;
  const board = await sampleHosts(one).key();
  const hosts = await Promise.all(Array.from({ length: 9 }, (_, at) => sampleHosts(one).host(`host ${at}`)));
  const packages = [installed("bash", "old"), installed("openssl", "risk"), installed("curl")];
  const reports = await Promise.all(
    hosts.map((host, at) =>
      sampleHosts(servers[at % 3] as TestRuntime).report(host, { osType: "ubuntu", osVersion: "24.04", packages }),
    ),
  );
  expect(reports.map(({ status }) => status)).toEqual(hosts.map(() => 200));
  const stats = await Promise.all(
    servers.map(async (server) => {
      const { body } = await sampleHosts(server).read(board, "/api/v1/dashboard/stats/extended");
      const { last_updated: _at, unique_as_of: _since, ...figures } = body;
      return figures;
    }),
  );
  expect(stats[0]).toMatchObject({ total_hosts: 9, os_distribution: [{ name: "Ubuntu", count: 9 }] });
  expect(stats.slice(1)).toEqual([stats[0], stats[0]]);
});
