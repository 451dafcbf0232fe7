/**
 * Isolated plugins in a runtime: an honest one answers as it does in the server's own process; a hostile one gets nothing, and
 * harms nobody else. Where the kernel cannot confine, both run unconfined by the operator's word, and the walls are not tested.
 */
import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { landlockAbi } from "../../core/children/confinement/landlock.ts";
import { openSyscalls } from "../../core/children/confinement/syscalls.ts";
import { grantsLines } from "../../core/cli/grants_text.ts";
import { type Limits, limitsOf } from "../../plugins/operations/isolation/limits.ts";
import { loadIsolated } from "../../plugins/operations/isolation/load_isolated.ts";
import desk from "../fixtures/plugins/acme-desk/plugin.ts";
import kudos from "../fixtures/plugins/acme-kudos/plugin.ts";
import { scaled } from "../support/harness/machine_speed.ts";
import { browserOf, PASSWORD } from "../support/harness/sign_ins.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";
import { until } from "../support/harness/until.ts";

setDefaultTimeout(120_000);
const ROOT = join(import.meta.dir, "../..");
const syscall = openSyscalls();
const hasLandlock = syscall !== undefined && landlockAbi(syscall) > 0;

/** Statements are refused here before PostgreSQL gets them; what its roles refuse is tested elsewhere. */
const NO_ROLES = { PLUGIN_ROLES: "off" };
const runtimes: TestRuntime[] = [];
const weather = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: async (request) => new Response(`of ${await request.text()}`, { status: 203, headers: { "x-kind": "sunny" } }),
});
afterAll(async () => {
  await weather.stop(true);
  for (const runtime of runtimes) await runtime.stop();
});

async function isolated(name: string, limits: Partial<Limits> = {}) {
  const all = limitsOf(name, { unenforced: !hasLandlock, ...limits });
  const file = join(ROOT, "test/fixtures/plugins", name, "plugin.ts");
  return loadIsolated({ entry: name, file, limits: all, operator: join(ROOT, "plugins/web") });
}

async function booted(options: Parameters<typeof bootTestRuntime>[0]): Promise<TestRuntime> {
  const runtime = await bootTestRuntime(options);
  runtimes.push(runtime);
  return runtime;
}

const people = async (runtime: TestRuntime) => {
  const giver = await runtime.person("Giver", ["access-api", "book-view-all", "acme-kudos-give"]);
  const reader = await runtime.person("Reader", ["access-api"]);
  return { giver: giver.token, reader: reader.token };
};

/** What a runtime with the honest plugin answers to one course of events. */
async function courseOf(runtime: TestRuntime): Promise<unknown[]> {
  const { giver, reader } = await people(runtime);
  const answers: unknown[] = [];
  const ask = async (...request: Parameters<TestRuntime["ask"]>) => {
    const { status, body } = await runtime.ask(...request);
    answers.push([status, body]);
    return body;
  };
  const named = async (name: string) => {
    const { status, body } = await runtime.ask("POST", "/api/books", { body: { name } });
    answers.push([status, status === 200 ? body.name : body]);
    return body.id as number;
  };
  const book = await named("All teh books");
  await named("The forbidden book");
  const give = (as: string, points: unknown, of = book) =>
    ask("POST", `/api/acme/kudos/${of}`, { as, body: { points } });
  const given = await give(giver, 3);
  expect(given).toEqual({ book_id: book, user_id: expect.any(Number), points: 3 });
  await give(giver, 7);
  await give(giver, 11);
  await give(giver, "many");
  await give(giver, 1, 999);
  await give(reader, 1);
  await ask("GET", `/api/acme/kudos/${book}`, { as: reader });
  await runtime.runtime.jobs.drain();
  await ask("GET", `/api/acme/kudos/${book}`, { as: giver });
  await ask("PUT", "/api/acme/notes/first", { body: { text: "Kept" } });
  await ask("GET", "/api/acme/notes/first");
  await ask("GET", "/api/acme/notes/second");
  await ask("GET", "/acme-kudos.txt", { as: null });
  await ask("GET", `/api/acme/weather?port=${weather.port}`);
  return answers;
}

test("an honest plugin answers isolated as it does in the server's process", async () => {
  const { plugin, host } = await isolated("acme-kudos");
  const options = {
    choices: { settings: { "acme-kudos": { most: 10 } } },
    env: { ...NO_ROLES, ALLOW_PRIVATE_HOSTS: "127.0.0.1/32" },
  };
  const apart = await booted({ extra: [plugin], ...options });
  const within = await booted({ extra: [kudos], ...options });
  const answers = await courseOf(apart);
  expect(answers).toEqual(await courseOf(within));
  expect(answers.map((answer) => (answer as [number])[0])).toEqual([
    200, 403, 201, 201, 403, 422, 404, 403, 404, 200, 200, 200, 404, 200, 200,
  ]);
  expect(answers.at(-1)).toEqual([200, { status: 203, kind: "sunny", text: "of today" }]);
  expect((answers[9] as [number, { data: object[] }])[1].data).toEqual([
    { book_id: expect.any(Number), user_id: expect.any(Number), points: 7, thanked: true, given_from: "127.0.0.1" },
  ]);
  const before = host.pid ?? 0;
  process.kill(before, "SIGKILL");
  await until(() => host.pid !== before);
  expect((await apart.ask("GET", "/api/acme/notes/first")).body).toBe("Kept");
  expect((await apart.ask("POST", "/api/books", { body: { name: "After teh fall" } })).body.name).toBe(
    "After the fall",
  );
  expect(host.pid).not.toBe(before);
  expect(grantsLines({ plugin, denied: [], recorded: {} })[0]).toMatch(
    hasLandlock
      ? /^acme-kudos +read=books write=acme_kudos net=127.0.0.1 files.* isolated \(Landlock ABI \d+, seccomp, (network namespace|no sockets)\)$/
      : /isolated, not enforced: /,
  );
});

const ENTRY = { at: "menu/main", path: "/acme-desk", icon: "book", permit: "user" };
const OK = [200, "application/json", "Persuasion"];

/** What a runtime with the plugin that uses others answers. */
async function deskOf(runtime: TestRuntime): Promise<unknown[]> {
  const writer = await runtime.person("Writer", [
    "access-api",
    "book-view-all",
    "book-create-all",
    "bookshelf-create-all",
  ]);
  const reader = await runtime.person("Reader", ["access-api"]);
  const answers: unknown[] = [];
  const ask = async (...request: Parameters<TestRuntime["ask"]>) => {
    const { status, body } = await runtime.ask(...request);
    answers.push([request[1], status, body]);
    return body;
  };
  const { id } = (await runtime.ask("POST", "/api/books", { as: writer.token, body: { name: "Persuasion" } })).body;
  await ask("GET", `/api/acme-desk/books/${id}`, { as: writer.token });
  await ask("GET", `/api/acme-desk/books/${id}`, { as: reader.token });
  await ask("POST", "/api/acme-desk/shelves", { as: writer.token, body: { name: "Novels" } });
  await ask("POST", "/api/acme-desk/shelves", { as: writer.token, body: {} });
  await ask("POST", "/api/acme-desk/shelves", { as: reader.token, body: { name: "Plays" } });
  await ask("GET", "/api/acme-desk/count", { as: reader.token });
  await ask("GET", `/api/acme-desk/access/${id}`, { as: writer.token });
  await ask("GET", `/api/acme-desk/access/${id}`);
  await ask("GET", "/api/acme-desk/users", { as: writer.token });
  await ask("GET", "/api/acme-desk/users");
  await ask("GET", `/api/acme-desk/as/${reader.id}/books/${id}`, { as: writer.token });
  await ask("GET", `/api/acme-desk/as/${writer.id}/books/${id}`, { as: reader.token });
  await ask("GET", `/api/acme-desk/as/99999/books/${id}`, { as: reader.token });
  await ask("POST", "/api/acme-desk/markup", { body: { html: "<p>One</p><script>2</script>" } });
  await ask("GET", "/api/acme-desk/fleet");
  await runtime.runtime.jobs.drain();
  await ask("GET", "/api/acme-desk/seen", { as: reader.token });
  await ask("GET", "/api/acme-desk/menu");
  const headers = { authorization: "Bearer a-secret" };
  const metrics = String((await runtime.ask("GET", "/metrics", { as: null, headers })).body);
  answers.push(/^lectern_acme_desk_seen.*$/m.exec(metrics)?.[0]);
  const browser = browserOf(runtime);
  await browser.signIn("admin@example.com");
  const statistics = String((await browser.go("/statistics")).body);
  answers.push(/<dt>Desk<\/dt><dd>.*?<\/dd>/.exec(statistics)?.[0]);
  answers.push(/href="\/acme-desk".*?<\/a>/s.exec(statistics)?.[0]?.includes("Desk &amp; more"));
  const shelves = (await runtime.ask("GET", "/api/shelves")).body.data as { name: string }[];
  return [...answers, shelves.map(({ name }) => name).sort()];
}

test("a plugin uses routes, contracts and slots of others isolated as it does in the server's process", async () => {
  const { plugin } = await isolated("acme-desk");
  const env = { ...NO_ROLES, METRICS_TOKEN: "a-secret", ADMIN_PASSWORD: PASSWORD };
  const apart = await deskOf(await booted({ extra: [plugin], env }));
  expect(apart).toEqual(await deskOf(await booted({ extra: [desk], env })));
  expect(apart.slice(0, 2)).toEqual([
    expect.arrayContaining([{ own: OK, system: OK }]),
    expect.arrayContaining([{ own: [404, "application/json", "Book not found"], system: OK }]),
  ]);
  expect(apart.slice(2)).toEqual([
    ["/api/acme-desk/shelves", 200, { name: "Novels" }],
    ["/api/acme-desk/shelves", 422, expect.anything()],
    ["/api/acme-desk/shelves", 403, expect.anything()],
    ["/api/acme-desk/count", 200, { count: 1 }],
    [expect.any(String), 200, { book: false, users: false, system: true }],
    [expect.any(String), 200, { book: true, users: true, system: true }],
    ["/api/acme-desk/users", 403, expect.anything()],
    ["/api/acme-desk/users", 200, { allowed: true }],
    [expect.any(String), 200, [404, "application/json", "Book not found"]],
    [expect.any(String), 200, OK],
    [expect.any(String), 200, "nobody"],
    ["/api/acme-desk/markup", 200, { html: expect.objectContaining({ text: "One" }) }],
    ["/api/acme-desk/fleet", 200, { hasFleet: true }],
    [
      "/api/acme-desk/seen",
      200,
      [
        ["in the transaction", 200],
        ["after it", "Shelf of Persuasion", "Writer", true, 200],
        ["after it", "Novels", "Writer", true, 200],
      ],
    ],
    ["/api/acme-desk/menu", 200, [expect.objectContaining({ path: "/shelves" }), { ...ENTRY, text: "Desk & more" }]],
    'lectern_acme_desk_seen{kind="any"} 3',
    "<dt>Desk</dt><dd>&lt;b&gt;Admin&lt;/b&gt;</dd>",
    true,
    ["Novels", "Shelf of Persuasion"],
  ]);
});

test("a hostile plugin reads, writes, calls and changes nothing that it was not granted, and the server goes on", async () => {
  const { plugin, host } = await isolated("acme-hostile", { timeoutMs: 4_000, memoryMb: 160, pauseMs: 0 });
  const runtime = await booted({ extra: [plugin], env: NO_ROLES });
  const hostile = async (path: string) => {
    const { status, body, headers } = await runtime.ask("GET", `/api/hostile/${path}`, { as: null });
    return { status, body, headers };
  };
  const statusOf = async (path: string) => (await hostile(path)).status;
  expect((await hostile("environment")).body).toEqual({});
  const refusals = {
    plain: 'cannot read table "users"',
    raw: "isolated plugins cannot send RawNode",
    operator: 'isolated plugins cannot send "operator" of OperatorNode',
    owner_of_a_column: "isolated plugins cannot send SelectQueryNode",
    function: 'isolated plugins cannot send "func" of FunctionNode',
    catalogue: '"pg_catalog.pg_authid"',
    literal: "a literal has odd characters",
    schema_change: "isolated plugins cannot send DropTableNode",
  };
  expect((await hostile("statement/own")).body).toEqual({ rows: [] });
  for (const [tree, refusal] of Object.entries(refusals)) {
    const { body } = await hostile(`statement/${tree}`);
    expect([tree, body]).toEqual([tree, { refused: expect.stringContaining(refusal) }]);
  }
  const others = {
    fetch: "the plugin was not granted this host",
    enqueue: "has registered no job",
    perform: 'The event "user_create" is one of the plugin "users"',
    rows: "bytes of rows are too many",
    viewer: "act only as the viewer of a request",
    route: "act only as the viewer of a request",
    system: 'The plugin "acme-hostile" acts as SYSTEM, which it does not declare',
    kept: "belongs to has ended",
    impersonated: "acts as a user who is not that of the request, which it does not declare",
    password: "calls users.byPassword, which it does not declare",
    inherited: 'The contract "users" has no function "constructor"',
    callback: "Cannot send an argument of users.viewer: it has a function",
    invented: 'it has a viewer within another value at "user"',
  };
  await hostile("keep");
  for (const [path, refusal] of Object.entries(others))
    expect([path, (await hostile(path)).body]).toEqual([path, { refused: expect.stringContaining(refusal) }]);
  for (const path of hasLandlock ? ["read", "write"] : []) expect([path, await statusOf(path)]).toEqual([path, 500]);
  const document = await hostile("headers");
  expect([document.headers.get("set-cookie"), document.headers.get("location")]).toEqual([null, null]);
  expect(document.headers.get("content-security-policy")).toBe("default-src 'none'; sandbox");
  const alive = host.pid;
  expect(await statusOf("status")).toBe(200);
  expect((await hostile("crowd")).body).toBe(70);
  expect(host.pid).toBe(alive);
  expect((await hostile("slow")).body).toBe("started");
  const joins = () => runtime.store.sql<
    { pid: number }[]
  >`select pid from pg_stat_activity where datname = current_database()
    and state = 'active' and query like '%acme_hostile%' and pid <> pg_backend_pid()`;
  await until(async () => (await joins()).length > 0);
  const since = performance.now();
  const readers = Array.from({ length: 8 }, () => runtime.ask("GET", "/api/books/99999"));
  expect((await Promise.all(readers)).map(({ status }) => status)).toEqual(readers.map(() => 404));
  expect(performance.now() - since).toBeLessThan(scaled(900));
  // What is asked of them is asked, and they would take the machine's time until their limit: those that wait find no rows.
  await runtime.store.sql`delete from acme_hostile`;
  for (const { pid } of await joins()) await runtime.store.sql`select pg_cancel_backend(${pid})`;
  for (const [path, wanted] of [
    ["loop", [504]],
    ["memory", [503]],
    // A busy machine reads the message for longer than the call may take.
    ["large", [503, 504]],
    ["malformed", [503]],
    ["polluted", [503]],
    ["forged", [503]],
    ["flood", [503]],
    ["exit", [503]],
  ] as const) {
    const [{ status, body }, beside] = await Promise.all([hostile(path), runtime.ask("GET", "/api/books")]);
    expect(wanted as readonly number[], path).toContain(status);
    expect([path, body.error?.code]).toEqual([path, status]);
    expect(beside.status).toBe(200);
    expect([path, await statusOf("status")]).toEqual([path, 200]);
  }
  const busy = host.pid;
  expect((await hostile("later")).body).toBe("soon");
  await until(() => host.pid !== busy);
  expect(await statusOf("status")).toBe(200);
  expect(Object.getOwnPropertyNames(Object.prototype)).not.toContain("polluted");
});

test("a handler that loops without a pause is ended by its own limit, and the writes of others go on", async () => {
  const { plugin, host } = await isolated("acme-hostile", { timeoutMs: scaled(800), pauseMs: 0 });
  // Longer than what parts in the server's process may take without a sign of life.
  const constants = { core: { partTimeoutMs: scaled(100) } };
  const runtime = await booted({ extra: [plugin], env: NO_ROLES, constants });
  const create = async (name: string) => (await runtime.ask("POST", "/api/books", { body: { name } })).body.id;
  const ids = [await create("One"), await create("Two"), await create("Three")];
  const alive = host.pid;
  const stuck = ids.map((id) => runtime.ask("PUT", `/api/books/${id}`, { body: { name: "Loop" } }));
  const other = await runtime.ask("POST", "/api/books", { body: { name: "Of somebody else" } });
  expect(other.status).toBe(200);
  for (const { status } of await Promise.all(stuck)) expect([503, 504]).toContain(status);
  expect(host.pid).not.toBe(alive);
  expect(runtime.store.load().transactions.busy).toBe(0);
  const named = async () => (await runtime.ask("PUT", `/api/books/${ids[0]}`, { body: { name: "Named" } })).status;
  await until(async () => (await named()) === 200);
});

test("a process that ends again and again is started less and less often", async () => {
  const { plugin, host } = await isolated("acme-hostile", { pauseMs: 60_000 });
  const runtime = await booted({ extra: [plugin], env: NO_ROLES });
  const ask = async (path: string) => (await runtime.ask("GET", `/api/hostile/${path}`, { as: null })).status;
  const started = new Set<number>();
  for (let tried = 0; tried < 40; tried++) {
    await ask("exit");
    if (host.pid !== undefined) started.add(host.pid);
  }
  expect(await ask("status")).toBe(503);
  expect(started.size).toBeLessThan(10);
});

test("a start may take longer than a call", async () => {
  const { plugin, host } = await isolated("acme-kudos", { timeoutMs: 30 });
  expect(plugin.name).toBe("acme-kudos");
  await host.stop();
});

test("what the operator writes about isolation is checked", async () => {
  expect(() => limitsOf("./acme", { memoryMB: 3 })).toThrow('"memoryMB"');
  expect(() => limitsOf("./acme", { memoryMb: 1 })).toThrow('"memoryMb"');
  const file = join(ROOT, "test/fixtures/plugins/acme-kudos/plugin.ts");
  const limits = limitsOf("x", {});
  const folder = join(ROOT, "test/fixtures/plugins/acme-kudos");
  await expect(loadIsolated({ entry: "x", file, limits, operator: folder })).rejects.toThrow(
    "put it into a folder of its own",
  );
});
