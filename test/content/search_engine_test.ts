/**
 * Search by the engine of a plugin, as a stranger would write it: it knows texts and no permissions. Lectern tells it of changes, leaves
 * out what the viewer does not see, and answers for its failures.
 */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import type { EngineAnswer, EngineHit, SearchDocument } from "lectern/contracts";
import { definePlugin } from "lectern/core";
import { scaled } from "../support/harness/machine_speed.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

/** The engine's own store, and how it behaves next. */
const gull = {
  documents: new Map<string, SearchDocument>(),
  asked: 0,
  fails: false,
  hangs: false,
  /** Hits of items that do not exist, before the real ones. */
  junk: [] as EngineHit[],
  answer: undefined as unknown,
};
const keyOf = (kind: string, id: number) => `${kind}-${id}`;

const plugin = definePlugin({
  name: "gull",
  setup: ({ contribute }) =>
    contribute("search_engine", {
      name: "gull",
      async index(documents) {
        if (gull.fails) throw new Error("the gull sleeps");
        for (const document of documents) gull.documents.set(keyOf(document.kind, document.id), document);
      },
      async remove(kind, ids) {
        for (const id of ids) gull.documents.delete(keyOf(kind, id));
      },
      async find({ terms, exacts, kinds, offset, limit }): Promise<EngineAnswer> {
        gull.asked += 1;
        if (gull.fails) throw new Error("the gull sleeps");
        if (gull.hangs) await new Promise(() => {});
        if (gull.answer !== undefined) return gull.answer as EngineAnswer;
        const words = [...terms, ...exacts.flatMap((text) => text.split(" "))].map((word) => word.toLowerCase());
        const hits = [...gull.documents.values()].flatMap(({ kind, id, name, tags, headings, body }) => {
          const text = `${name} ${tags} ${headings} ${body}`.toLowerCase();
          const score = words.reduce((sum, word) => sum + text.split(word).length - 1, 0);
          return score > 0 && kinds.includes(kind) ? [{ kind, id, score }] : [];
        });
        const all = [...gull.junk, ...hits.sort((a, b) => b.score - a.score)];
        return { hits: all.slice(offset, offset + limit), hasMore: all.length > offset + limit };
      },
    }),
});

const WITH_ENGINE = {
  env: { SEARCH_ENGINE: "gull" },
  constants: { search: { candidates: 100, timeoutMs: scaled(300), engineRounds: 3 } },
};
let runtime: TestRuntime;
let book: number;
beforeAll(async () => {
  runtime = await bootTestRuntime({ extra: [plugin], ...WITH_ENGINE });
  book = (await runtime.ask("POST", "/api/books", { body: { name: "Coast", description: "Birds" } })).body.id;
}, 120_000);
afterAll(() => runtime.stop());
beforeEach(() => {
  Object.assign(gull, { asked: 0, fails: false, hangs: false, junk: [], answer: undefined });
});

const make = async (name: string, html: string, more: object = {}) => {
  const { body } = await runtime.ask("POST", "/api/pages", { body: { name, book_id: book, html, ...more } });
  await runtime.runtime.jobs.drain();
  return body.id as number;
};
const search = async (query: string, more = "", as = runtime.token, of = runtime) =>
  of.ask("GET", `/api/search?query=${encodeURIComponent(query)}${more}`, { as });
const found = async (query: string, of = runtime) =>
  (await search(query, "", of.token, of)).body.data.map(({ name }: { name: string }) => name);

test("the engine gets the text of an item after its commit, each change of it, and its removal", async () => {
  const tags = [{ name: "cost", value: "15" }];
  const id = await make("Heron", "<h2>Where</h2><p>Stands in <em>shallow</em> water</p>", { tags });
  expect(gull.documents.get(`page-${id}`)).toEqual({
    kind: "page",
    id,
    name: "Heron",
    tags: "cost 15",
    headings: expect.stringContaining("Where"),
    body: expect.stringContaining("Stands in shallow water"),
  });
  await runtime.ask("PUT", `/api/pages/${id}`, { body: { html: "<p>Flew away</p>" } });
  await runtime.runtime.jobs.drain();
  expect(gull.documents.get(`page-${id}`)?.body).toContain("Flew away");
  await runtime.ask("DELETE", `/api/pages/${id}`);
  expect(await found("flew")).toEqual([]);
  const { body } = await runtime.ask("GET", "/api/recycle-bin");
  await runtime.ask("DELETE", `/api/recycle-bin/${body.data[0].id}`);
  await runtime.runtime.jobs.drain();
  expect(gull.documents.has(`page-${id}`)).toBe(false);
});

test("results are in the order of the engine's scores, with previews and an exact total", async () => {
  await make("Low", "<p>plover</p>");
  await make("High", "<p>plover plover plover</p>");
  const { body } = await search("plover");
  expect(body).toMatchObject({
    data: [
      { name: "High", type: "page", preview_html: { content: expect.stringContaining("<strong>plover") } },
      { name: "Low" },
    ],
    total: 2,
  });
  expect([body.total_is_lower_bound, (await search("plover", "&count=1&page=2")).body.data[0].name]).toEqual([
    undefined,
    "Low",
  ]);
});

test("the screens, which ask for the better mode, find by the engine too", async () => {
  const id = await make("Fulmar", "<p>fulmar</p>");
  const { status, body } = await search("fulmar", "&mode=better&facets=true&sort=name");
  expect([status, body.data.map((one: { id: number }) => one.id), gull.asked]).toEqual([200, [id], 1]);
});

test("nobody finds what they do not see, whatever the engine answers, and the total counts what they see", async () => {
  const secret = await make("Secret", "<p>cormorant</p>");
  await make("Open", "<p>cormorant</p>");
  const reader = await runtime.person("reader", ["access-api", "book-view-all", "page-view-all"]);
  const blind = await runtime.person("blind", ["access-api"]);
  await runtime.ask("PUT", `/api/content-permissions/page/${secret}`, {
    body: { fallback_permissions: { inheriting: false, view: false, create: false, update: false, delete: false } },
  });
  const seen = (await search("cormorant", "", reader.token)).body;
  expect([seen.data.map(({ name }: { name: string }) => name), seen.total]).toEqual([["Open"], 1]);
  expect((await search("cormorant", "", blind.token)).body).toEqual({ data: [], total: 0 });
});

test("filters, tags, negations and exact texts hold, even if the engine takes no notice of them", async () => {
  await make("Gannet", "<p>dives from a great height</p>", { tags: [{ name: "size", value: "big" }] });
  await make("Tern", "<p>a height, a great one: dives</p>");
  for (const [query, names] of [
    ["dives", ["Gannet", "Tern"]],
    ['"great height"', ["Gannet"]],
    ['dives -"great height"', ["Tern"]],
    ["dives [size=big]", ["Gannet"]],
    ["dives -[size]", ["Tern"]],
    ["dives {in_name:ter}", ["Tern"]],
    ["dives {type:book}", []],
  ] as const)
    expect([query, (await found(query)).sort()]).toEqual([query, [...names]]);
});

test("a search by tags and filters alone needs no engine", async () => {
  gull.fails = true;
  expect([await found("[size=big]"), await found("{type:book}"), gull.asked]).toEqual([["Gannet"], ["Coast"], 0]);
});

test("where the viewer does not see the best hits, further ones are read, and the total says that it is a bound", async () => {
  await make("Skua", "<p>skua</p>");
  gull.junk = Array.from({ length: 150 }, (_, at) => ({ kind: "page", id: 1_000_000 + at, score: 9 }));
  const { body } = await search("skua");
  expect([body.data.length, body.total, body.total_is_lower_bound, gull.asked]).toEqual([1, 1, undefined, 2]);
  gull.junk = Array.from({ length: 1_000 }, (_, at) => ({ kind: "page", id: 1_000_000 + at, score: 9 }));
  gull.asked = 0;
  expect((await search("skua")).body).toEqual({ data: [], total: 0, total_is_lower_bound: true });
  expect(gull.asked).toBe(3);
});

test("hits that cannot be items are left out, and items that come twice count once", async () => {
  const id = await make("Auk", "<p>auk</p>");
  const odd = [0, -1, 1.5, 2 ** 40, Number.NaN, "1; drop table pages"].map((one) => ({
    kind: "page",
    id: one,
    score: 1,
  }));
  const hits = [
    ...odd,
    { kind: "users", id: 1, score: 1 },
    { kind: "page", id, score: Number.NaN },
    { kind: "page", id, score: 2 },
  ];
  gull.answer = { hits, hasMore: false };
  const { body } = await search("auk");
  expect([body.data.map((one: { id: number }) => one.id), body.total]).toEqual([[id], 1]);
});

test("an engine that fails, hangs or answers nonsense is a 503 that says to try again", async () => {
  const text = { error: { message: "The search is unavailable at the moment. Try again later.", code: 503 } };
  for (const trouble of [
    { fails: true },
    { hangs: true },
    { answer: {} },
    { answer: null },
    { answer: { hits: [null], hasMore: false } },
  ]) {
    Object.assign(gull, { fails: false, hangs: false, answer: undefined }, trouble);
    const answer = await search("auk");
    expect([trouble, answer.status, answer.body]).toEqual([trouble, 503, text]);
  }
});

test("a change that the engine could not take is sent again until it can", async () => {
  gull.fails = true;
  const id = await make("Puffin", "<p>puffin</p>");
  const [job] = await runtime.store.sql`select attempts, dead, last_error from jobs where name = 'search_engine_index'`;
  expect([job, gull.documents.has(`page-${id}`)]).toEqual([
    { attempts: 1, dead: false, last_error: "the gull sleeps" },
    false,
  ]);
  gull.fails = false;
  await runtime.store.sql`update jobs set run_at = now()`;
  await runtime.runtime.jobs.drain();
  expect(await found("puffin")).toEqual(["Puffin"]);
});

test("an engine that lost its data gets all items again by the command", async () => {
  gull.documents.clear();
  const lines: string[] = [];
  const io = { out: (line: string) => void lines.push(line), err: () => {}, env: {}, columns: 80, tty: false };
  const { plugin: owner } = runtime.runtime.booted.find((one) => one.plugin.name === "search") ?? {};
  expect(await owner?.commands.search?.run(["reindex"], io, runtime.contexts.get("search"))).toBe(0);
  await runtime.runtime.jobs.drain();
  expect([lines.join(), await found("puffin")]).toEqual([expect.stringContaining('Queued for "gull"'), ["Puffin"]]);
});

test("a newly chosen engine gets every item, and the shipped one finds what was changed meanwhile", async () => {
  const first = await bootTestRuntime();
  try {
    const { id } = (await first.ask("POST", "/api/books", { body: { name: "Guillemot", description: "On a cliff" } }))
      .body;
    gull.documents.clear();
    const second = await bootTestRuntime({ beside: first, extra: [plugin], ...WITH_ENGINE });
    await second.runtime.jobs.drain();
    expect([gull.documents.get(`book-${id}`)?.name, await found("cliff", second)]).toEqual([
      "Guillemot",
      ["Guillemot"],
    ]);
    await second.ask("PUT", `/api/books/${id}`, { body: { description: "On the open sea" } });
    await second.runtime.jobs.drain();
    await second.stop();
    const third = await bootTestRuntime({ beside: first });
    await third.runtime.jobs.drain();
    expect([await found("sea", third), await found("cliff", third)]).toEqual([["Guillemot"], []]);
    await third.stop();
  } finally {
    await first.stop();
  }
});

test("an engine that the operator did not choose, and a wrong name, stop the boot", async () => {
  const failing = (env: Record<string, string>, extra = [plugin]) =>
    bootTestRuntime({ extra, env }).then(
      () => "",
      (error: Error) => error.message,
    );
  expect(await failing({})).toContain(
    'Each of "postgresql" and "gull" is a search engine: set SEARCH_ENGINE to the one',
  );
  expect(await failing({ SEARCH_ENGINE: "gul" })).toContain('did you mean "gull"?');
  expect(await failing({ SEARCH_ENGINE: "gull" }, [])).toContain('SEARCH_ENGINE names "gull"');
});
