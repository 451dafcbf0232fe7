/** The cache of answers: its bound, its switch, lost notifications, one loader for many readers, and what plugins contribute. */
import { expect, spyOn, test } from "bun:test";
import { findItem } from "lectern/contracts";
import {
  type AnswerCacheFigures,
  type AnyContext,
  type CachedAnswers,
  definePlugin,
  expressionBuilder,
  inLanguage,
  sql,
  type Viewer,
} from "lectern/core";
import { rows, type Tables } from "lectern/db";
import { finder } from "../support/harness/cached_world.ts";
import { WITH_PAGES } from "../support/harness/few_plugins.ts";
import { bootTestRuntime, type TestRuntime, type TestRuntimeOptions } from "../support/harness/test_runtime.ts";
import { until } from "../support/harness/until.ts";

const READERS = 100;

/** A plugin whose context has the figures of the cache. */
const watcher = definePlugin({ name: "watcher", requires: ["telemetry"], setup: () => {} });

function figuresOf({ contexts }: TestRuntime): AnswerCacheFigures {
  const figures = contexts.get("watcher")?.contracts.telemetry.answerCache();
  if (!figures) throw new Error("The watcher has not booted");
  return figures;
}

/** A started server with a page. */
async function served(options: TestRuntimeOptions = {}) {
  const server = await bootTestRuntime({ only: WITH_PAGES, ...options, extra: [watcher, ...(options.extra ?? [])] });
  await server.runtime.start();
  const book = (await server.ask("POST", "/api/books", { body: { name: "Runbooks" } })).body;
  /** A page, of whose creation the notification has come: it forgets no answer that is read afterwards. */
  const made = async (name: string, html = `<p>${name}</p>`) => {
    const { body } = await server.ask("POST", "/api/pages", { body: { book_id: book.id, name, html } });
    await notified(server);
    return body;
  };
  const read = async ({ id }: { id: number }) => (await server.ask("GET", `/api/pages/${id}`)).body;
  return { ...server, made, read, figures: () => figuresOf(server) };
}

/** Resolves when the server has got the notifications of all commits until now. */
async function notified({ store }: TestRuntime): Promise<void> {
  const arrived = Promise.withResolvers<void>();
  const stop = await store.listen("cache_test", { onNotify: () => arrived.resolve() });
  await store.notify("cache_test", "");
  await arrived.promise;
  await stop();
}

test("many readers of a page that is not cached have it loaded once", async () => {
  const server = await served();
  const page = await server.made("Failover");
  const answers = await Promise.all(Array.from({ length: READERS }, () => server.read(page)));
  expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
  expect(server.figures()).toMatchObject({ misses: 1, hits: READERS - 1 });
  await server.stop();
});

test("the memory stays within its bound: the pages that were read last stay cached", async () => {
  const server = await served({ env: { ANSWER_CACHE_BYTES: "20000" } });
  const pages = [];
  for (let n = 0; n < 20; n++) pages.push(await server.made(`Page ${n}`));
  for (const page of pages) await server.read(page);
  // What readers share is kept a moment after its load.
  await until(async () => server.figures().entries + server.figures().evictions >= pages.length);
  const { bytes, entries, misses } = server.figures();
  expect([bytes <= 20_000, entries > 2]).toEqual([true, true]);
  await server.read(pages.at(-1));
  expect(server.figures().misses).toBe(misses);
  await server.read(pages[0]);
  expect(server.figures().misses).toBe(misses + 1);
  await server.stop();
});

test("objects for screens count too, by their text", async () => {
  const server = await served({ env: { ANSWER_CACHE_BYTES: "60000" }, extra: [finder] });
  const { contracts, slot } = server.contexts.get(finder.name) as AnyContext;
  const viewer = (await contracts.users.viewer(1)) as Viewer;
  const text = "ж".repeat(2_000);
  const pages = [];
  for (let n = 0; n < 8; n++) pages.push(await server.made(`Page ${n}`, `<p>${text}</p>`));
  const found = [];
  for (const { id } of pages) found.push(await findItem(slot("item_reader"), "page", viewer, { id }));
  const { bytes, entries, evictions } = server.figures();
  expect(found.map((page) => page?.id)).toEqual(pages.map(({ id }) => id));
  expect(bytes).toBeLessThanOrEqual(60_000);
  // The text is in an object twice, with two bytes for each character.
  expect(bytes).toBeGreaterThanOrEqual(entries * 2 * 2 * text.length);
  expect([entries > 0, evictions > 0]).toEqual([true, true]);
  await server.stop();
});

test("with ANSWER_CACHE_BYTES=0 nothing is cached, and answers are the same", async () => {
  const server = await served();
  const page = await server.made("Failover");
  const off = await bootTestRuntime({
    beside: server,
    only: WITH_PAGES,
    extra: [watcher],
    env: { ANSWER_CACHE_BYTES: "0" },
  });
  await off.runtime.start();
  const raw = async ({ runtime, token }: Pick<TestRuntime, "runtime" | "token">, method: string) => {
    const request = new Request(`http://localhost/api/pages/${page.id}`, {
      method,
      headers: { authorization: `Token ${token}` },
    });
    const response = await runtime.http.handle(request, "127.0.0.1");
    const kept = [...response.headers].filter(([name]) => !/^x-(?:request-id|ratelimit-remaining)$/.test(name)).sort();
    return { status: response.status, kept, body: await response.text() };
  };
  for (const method of ["GET", "HEAD"]) {
    const wanted = await raw(off, method);
    expect(await raw(server, method)).toEqual(wanted);
    expect(await raw(server, method)).toEqual(wanted);
  }
  expect(figuresOf(off)).toMatchObject({ hits: 0, misses: 0, entries: 0 });
  await off.stop();
  await server.stop();
});

test("each answer from the cache counts against the limit of requests", async () => {
  const server = await served({ env: { API_REQUESTS_PER_MIN: "10" } });
  const page = await server.made("Failover");
  const left = async () =>
    Number((await server.ask("GET", `/api/pages/${page.id}`)).headers.get("x-ratelimit-remaining"));
  const first = await left();
  expect([await left(), await left()]).toEqual([first - 1, first - 2]);
  while ((await server.ask("GET", `/api/pages/${page.id}`)).status === 200);
  expect((await server.ask("GET", `/api/pages/${page.id}`)).status).toBe(429);
  await server.stop();
});

test("while notifications are lost nothing is cached, and afterwards nothing from before is answered", async () => {
  const server = await served();
  const page = await server.made("Failover");
  await server.read(page);
  const listener = sql<{ ended: boolean }>`select pg_terminate_backend(pid) as ended from pg_stat_activity
    where datname = current_database() and query ~ '^(un)?listen '`;
  await listener.execute(server.db);
  await until(
    async () => server.figures().entries,
    (entries) => entries === 0,
  );
  // The report of this change is lost, as it is of another connection than those of the server.
  await server.store.sql`update pages set name = 'Changed by hand' where id = ${page.id}`;
  expect((await server.read(page)).name).toBe("Changed by hand");
  await until(
    async () => {
      await server.read(page);
      return server.figures().entries;
    },
    (entries) => entries > 0,
  );
  expect((await server.read(page)).name).toBe("Changed by hand");
  await server.stop();
});

test("after a loss of notifications the triggers are there, as in a database that was restored without them", async () => {
  const server = await served();
  const page = await server.made("Failover");
  await server.store.sql`drop function lectern_changed_pages cascade`;
  await server.store.sql`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and query ~ '^(un)?listen '`;
  await until(
    () => server.store.sql`select from pg_proc where proname = 'lectern_changed_pages'`,
    (found) => found.length === 1,
  );
  await until(
    async () => {
      await server.read(page);
      return server.figures().entries;
    },
    (entries) => entries > 0,
  );
  await server.store.sql`update pages set name = 'Changed by hand' where id = ${page.id}`;
  await until(
    () => server.read(page),
    ({ name }) => name === "Changed by hand",
  );
  await server.stop();
});

test("a page that an operator changes with SQL is read anew, once the server was notified", async () => {
  const server = await served();
  const page = await server.made("Failover");
  await server.read(page);
  await server.store.sql`update pages set name = 'Changed by hand' where id = ${page.id}`;
  expect(
    (
      await until(
        () => server.read(page),
        ({ name }) => name === "Changed by hand",
      )
    ).name,
  ).toBe("Changed by hand");
  await server.stop();
});

test("what is kept is right until a change commits, and after one that is rolled back", async () => {
  const server = await served();
  const page = await server.made("Failover");
  const before = await server.read(page);
  await until(async () => server.figures().entries > 0);
  const undone = server.db.transaction().execute(async (tx) => {
    await sql`update pages set name = 'Undone' where id = ${page.id}`.execute(tx);
    const { hits } = server.figures();
    expect([await server.read(page), server.figures().hits]).toEqual([before, hits + 1]);
    throw new Error("undo");
  });
  await expect(undone).rejects.toThrow("undo");
  expect(await server.read(page)).toEqual(before);
  await server.stop();
});

test("a plugin that adds fields without saying what they are read from keeps answers from being cached", async () => {
  let calls = 0;
  const counting = (cached: object) =>
    definePlugin({
      name: "counting",
      setup({ contribute }) {
        const add = async (ids: readonly number[]) => new Map(ids.map((id) => [id, { calls: ++calls }]));
        contribute("response_fields", { kind: "page", moment: "read", add, ...cached });
      },
    });
  for (const [cached, expected] of [
    [{}, [1, 2]],
    [{ cached: { dependsOn: [] } }, [1, 1]],
  ] as const) {
    calls = 0;
    const server = await served({ extra: [counting(cached)] });
    const page = await server.made("Failover");
    expect([(await server.read(page)).calls, (await server.read(page)).calls]).toEqual([...expected]);
    await server.stop();
  }
});

test("a field that is selected from a table its plugin does not name keeps answers from being cached", async () => {
  const counting = (dependsOn: readonly { table: "page_revisions" }[]) =>
    definePlugin({
      name: "counting",
      grants: { read: ["page_revisions"] },
      setup({ contribute }) {
        contribute("response_fields", {
          kind: "page",
          moment: "read",
          add: async () => new Map(),
          select: () => sql`(select json_build_object('revisions', count(*)) from page_revisions)`,
          cached: { dependsOn },
        });
      },
    });
  const logged = spyOn(process.stderr, "write").mockImplementation(() => true);
  const warnings = () => logged.mock.calls.map(([line]) => String(line)).filter((line) => line.includes("declared"));
  for (const dependsOn of [[{ table: "page_revisions" }], []] as const) {
    const server = await served({ extra: [counting(dependsOn)], env: { LOG_LEVEL: "warn" } });
    const pages = [await server.made("Failover"), await server.made("Switchover")];
    for (const page of pages) expect((await server.read(page)).revisions).toBeNumber();
    expect(server.figures().entries).toBe(dependsOn.length * pages.length);
    expect(warnings()).toEqual(dependsOn.length === 1 ? [] : [expect.stringContaining('"reads":"page_revisions"')]);
    await server.stop();
  }
  logged.mockRestore();
});

test("comments that a plugin hides from some readers are in the answers of the others alone", async () => {
  // Readers of the same roles share the answers about a page; this rule tells them apart.
  const shown = expressionBuilder<Tables, "comments">();
  const discreet = definePlugin({
    name: "discreet",
    grants: { read: ["comments"] },
    setup({ visibilityRule }) {
      visibilityRule("comments", (viewer) => (viewer.admin ? true : shown("comments.created_by", "=", viewer.id)));
    },
  });
  const server = await bootTestRuntime({ extra: [discreet] });
  await server.runtime.start();
  const ann = await server.person("ann", ["access-api", "page-view-all", "book-view-all", "comment-create-all"]);
  const bob = { name: "Bob", email: "bob@example.com", password: "long enough" };
  await server.ask("POST", "/api/users", { body: { ...bob, roles: [ann.role] } });
  const twin = await server.tokenOf(bob.email);
  const book = (await server.ask("POST", "/api/books", { body: { name: "Runbooks" } })).body;
  const page = (
    await server.ask("POST", "/api/pages", { body: { book_id: book.id, name: "Failover", html: "<p>.</p>" } })
  ).body;
  await server.ask("POST", "/api/comments", { as: ann.token, body: { page_id: page.id, html: "<p>For me</p>" } });
  await notified(server);
  const commentsOf = async (as: string) =>
    (await server.ask("GET", `/api/pages/${page.id}`, { as })).body.comments.active.length;
  expect([await commentsOf(ann.token), await commentsOf(twin), await commentsOf(ann.token)]).toEqual([1, 0, 1]);
  await server.stop();
});

test("a visibility rule that comes when answers are shared already is refused", async () => {
  const late = definePlugin({
    name: "late_rule",
    setup: ({ onStart, visibilityRule }) => onStart(async () => visibilityRule("pages", () => true)),
  });
  const server = await bootTestRuntime({ only: WITH_PAGES, extra: [late] });
  await expect(server.runtime.start()).rejects.toThrow('Cannot add a visibility rule for "pages" once the server');
  await server.stop();
});

test("an alias that changes while its item is read leads to nothing", async () => {
  let answers: CachedAnswers<{ id: number; name: string }> | undefined;
  let meanwhile = async () => {};
  const named = definePlugin({
    name: "named",
    requires: ["pages"],
    grants: { read: ["pages"] },
    setup({ cache, db }) {
      answers = cache.answers("names", {
        dependsOn: () => [{ table: "pages", column: "id" }],
        aliasNotes: [{ table: "pages", column: "id" }],
        async load(_viewer, id) {
          await meanwhile();
          return (
            await rows<{ id: number; name: string }>(db, sql`select id, name from pages where id = ${id}::integer`)
          )[0];
        },
      });
    },
  });
  const server = await served({ extra: [named, finder] });
  const page = await server.made("Failover");
  const { contracts } = server.contexts.get(finder.name) as AnyContext;
  const viewer = (await contracts.users.viewer(1)) as Viewer;
  let lookups = 0;
  const find = (as: Viewer) =>
    answers?.findBy(as, "failover", async (note) => {
      lookups += 1;
      note("pages", "id", [page.id]);
      return page.id;
    });
  expect(await find(viewer)).toEqual({ id: page.id, name: "Failover" });
  expect(await find(inLanguage(viewer, "de"))).toEqual({ id: page.id, name: "Failover" });
  expect(lookups).toBe(1);
  meanwhile = async () => void (await server.ask("PUT", `/api/pages/${page.id}`, { body: { name: "Switchover" } }));
  expect(await find(inLanguage(viewer, "fr"))).toBeUndefined();
  meanwhile = async () => {};
  // The notification of the change may arrive while the alias is read again, and forgets it once more.
  await until(async () => (await find(viewer))?.name === "Switchover");
  expect(lookups).toBeGreaterThan(1);
  await server.stop();
});
