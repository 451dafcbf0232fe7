/** Suggestions while somebody types: what is found in which order, what a viewer learns of, and the limit. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import { type AnyContext, definePlugin, SYSTEM, sql, type Viewer } from "lectern/core";
import { rows } from "lectern/db";
import { updateAllAccessLists } from "../../plugins/accounts/content_permissions/propagation.ts";
import { drawnItems, drawnViewer, KINDS, type NamedItem, USERS, worldOf } from "../support/data/drawn_worlds.ts";
import { writeContent } from "../support/data/sample_content.ts";
import { isSeen } from "../support/harness/permission_evaluator.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

/** Asks as any viewer. */
const prober = definePlugin({
  name: "prober",
  grants: { contentTables: ["read"], impersonate: true },
  slots: {},
  setup() {},
});

let runtime: TestRuntime;
let bookId: number;
const LIMIT = 150;
beforeAll(async () => {
  runtime = await bootTestRuntime({ extra: [prober], constants: { search: { suggestionsPerMinute: LIMIT } } });
  bookId = await make("books", { name: "Runbooks", tags: [{ name: "failover", value: "Yes" }] });
  const chapter_id = await make("chapters", { book_id: bookId, name: "Databases" });
  await make("pages", { chapter_id, name: "Failover", html: "x" });
  for (const name of ["Éclair after failover", "a (failing) disk", "Nofailing", "データベース障害の対応", "R&D"])
    await make("pages", { book_id: bookId, name, html: "x" });
  await make("shelves", { name: "Failed experiments" });
});
afterAll(() => runtime.stop());

const make = async (segment: string, body: object): Promise<number> =>
  (await runtime.ask("POST", `/api/${segment}`, { body })).body.id;
const suggest = async (query: string, as = runtime.token, more = "") =>
  (await runtime.ask("GET", `/api/search/suggestions?query=${encodeURIComponent(query)}${more}`, { as })).body;
const names = async (query: string, as = runtime.token): Promise<string[]> =>
  (await suggest(query, as)).data.map(({ name }: { name: string }) => name);

test("names that begin with the text come first, then those with such a word, then those that contain it", async () => {
  expect(await names("fail")).toEqual([
    ...["Failed experiments", "Failover", "a (failing) disk", "Éclair after failover", "Nofailing"],
  ]);
  expect(await names("FÁILOVER ecl")).toEqual(["Éclair after failover"]);
  expect(await names("ec")).toEqual(["Éclair after failover"]);
  expect(await names("r&d")).toEqual(["R&D"]);
  expect(await names("ai")).toEqual([]);
  expect([await names("障"), await names("障害"), await names("ベース")]).toEqual(
    Array(3).fill(["データベース障害の対応"]),
  );
  const [found] = (await suggest("failo", runtime.token, "&count=1")).data;
  expect(found).toMatchObject({
    ...{ type: "page", name: "Failover", viewed_at: null },
    ...{ book: { id: bookId, name: "Runbooks" }, chapter: { name: "Databases" } },
  });
  expect(new URL(found.url).pathname).toBe("/books/runbooks/page/failover");
});

test("texts with signs, blanks and what no name has are answered", async () => {
  for (const text of ["%_\\", "((", "[a-", " . * ", "\u0000ab", "a\\", "'); --", "😀😀", "a ".repeat(100)])
    expect([text, (await suggest(text)).data]).toEqual([text, expect.any(Array)]);
  for (const [query, field] of [
    ["query[]=x", "query"],
    [`query=${"x".repeat(256)}`, "query"],
    ["count=0", "count"],
    ["count=51", "count"],
  ] as const) {
    const { status, body } = await runtime.ask("GET", `/api/search/suggestions?${query}`);
    expect([query, status, Object.keys(body.error.validation)]).toEqual([query, 422, [field]]);
  }
});

test("what the viewer opened last comes first, and is all there is before two letters", async () => {
  const other = await runtime.person("opener", ["access-api", "page-view-all", "book-view-all"]);
  expect(await names("", other.token)).toEqual([]);
  const id = async (name: string) => (await suggest(name)).data[0].id;
  for (const name of ["Nofailing", "R&D", "a (failing) disk"])
    await runtime.ask("GET", `/api/pages/${await id(name)}`, { as: other.token });
  expect(await names("", other.token)).toEqual(["a (failing) disk", "R&D", "Nofailing"]);
  expect(await names("r", other.token)).toEqual(["R&D"]);
  expect((await suggest("nofail", other.token)).data[0].viewed_at).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  // No chapter nor shelf of those is visible.
  expect(await names("fail", other.token)).toEqual([
    ...["Failover", "a (failing) disk", "Éclair after failover", "Nofailing"],
  ]);
  expect((await suggest("failover", other.token)).data[0]).not.toHaveProperty("chapter");
});

test("people are suggested to those who may list users alone, and tags of what a viewer sees", async () => {
  const reader = await runtime.person("faye", ["access-api", "page-view-all"]);
  await runtime.ask("PUT", `/api/users/${reader.id}`, { body: { name: "Faye Failwright" } });
  const all = await suggest("fail");
  expect(all.people.map(({ name }: { name: string }) => name)).toEqual(["Faye Failwright"]);
  expect(all.tags).toEqual([{ name: "failover", value: null }]);
  expect((await suggest("ye")).tags).toEqual([{ name: "failover", value: "Yes" }]);
  expect(await suggest("fail", reader.token)).toMatchObject({ people: [], tags: [] });
});

test("rare and common words within many names are found in order", async () => {
  await rows(
    runtime.db,
    sql`insert into pages (book_id, name, slug, html, markdown, text, priority, editor, owned_by)
      select ${bookId}::integer, 'Page ' || case when n % 50 = 0 then 'umbrella ' when n = 2777 then 'zirconium ' else '' end || n, 'bulk-' || n, '', '', '', 0, 'wysiwyg', 1
      from generate_series(1, 3000) n`,
  );
  expect(await names("zirc")).toEqual(["Page zirconium 2777"]);
  expect(await names("irconiu")).toEqual(["Page zirconium 2777"]);
  expect(await names("277 zir")).toEqual(["Page zirconium 2777"]);
  const expected = Array.from({ length: 60 }, (_, at) => `Page umbrella ${(at + 1) * 50}`).sort();
  expect(await names("umbr")).toEqual(expected.slice(0, 10));
  expect((await suggest("page 29", runtime.token, "&count=50")).data).toHaveLength(50);
  await rows(runtime.db, sql`delete from pages where slug like 'bulk-%'`);
});

test("suggestions have a limit of their own, which no other request takes from", async () => {
  const { token } = await runtime.person("hasty", ["access-api"]);
  const ask = async (path: string) => {
    const { status, headers } = await runtime.ask("GET", path, { as: token });
    return [status, headers.get("x-ratelimit-limit"), headers.get("x-ratelimit-remaining")];
  };
  const others = await ask("/api/books");
  expect(await ask("/api/search/suggestions?query=ab")).toEqual([200, String(LIMIT), String(LIMIT - 1)]);
  for (let n = 1; n < LIMIT; n++) await ask("/api/search/suggestions");
  expect(await ask("/api/search/suggestions")).toEqual([429, String(LIMIT), "0"]);
  expect(await ask("/api/books")).toEqual([200, others[1] ?? null, String(Number(others[2]) - 1)]);
});

const WORDS = ["foo", "foobar", "Bar", "été", "x", "xy", "障害"];
const drawnText = fc.array(
  fc.constantFrom("fo", "foo", "ba", "bar", "obar", "et", "xy", "x", "障", "été foo", "害 fo"),
  {
    ...{ minLength: 1, maxLength: 2 },
  },
);

const folded = (text: string) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();

/** The rank of a name for a text, by the words of the documentation. */
function rankOf(given: string, text: string): number | undefined {
  const [name, wanted] = [folded(given), folded(text)];
  const isUnspaced = /\p{sc=Han}/u.test(wanted);
  const has = (word: string, isWithin: boolean) => (isWithin ? name.includes(word) : ` ${name}`.includes(` ${word}`));
  if (name.startsWith(wanted)) return 0;
  if (has(wanted, isUnspaced)) return 1;
  return wanted.split(" ").every((word) => has(word, isUnspaced || word.length > 2)) ? 2 : undefined;
}

test("what is suggested is what the viewer sees, ranked, whatever the content and its permissions", async () => {
  const context = runtime.contexts.get("prober") as AnyContext;
  const property = fc.asyncProperty(
    drawnItems(WORDS),
    fc.array(drawnViewer, { minLength: 3, maxLength: 3 }),
    drawnText,
    async (drawn, viewers, texts) => {
      const { items, entries } = worldOf(drawn);
      await writeContent(runtime.db, { items, entries });
      await runtime.runtime.bus.perform("app_boot", SYSTEM, {}, async (_, tx) => {
        await updateAllAccessLists(context.slot("content"), tx);
        return {};
      });
      await rows(runtime.db, sql`delete from item_views`);
      const viewed = new Map(
        drawn.flatMap(({ isViewed, kind }, at) => (isViewed ? [[`${kind} ${at + 2}`, at] as const] : [])),
      );
      for (const [key, at] of viewed) {
        const [kind, id] = key.split(" ");
        await rows(
          runtime.db,
          sql`insert into item_views (user_id, kind, item_id, viewed_at)
          select user_id, ${kind}, ${Number(id)}::integer, timestamptz '2026-01-01' + ${at}::integer * interval '1 hour' from unnest(${USERS}::integer[]) as user_id`,
        );
      }
      for (const one of viewers) {
        const viewer: Viewer = { ...one, name: "Somebody", slug: "somebody", via: "token" };
        const seen = items.filter((item) => isSeen(viewer, item, entries));
        for (const text of texts) {
          const isEnough = folded(text).length > 1 || /\p{sc=Han}/u.test(text);
          const expected = seen
            .map((item) => ({ item, rank: rankOf(item.name, text), at: viewed.get(`${item.kind} ${item.id}`) ?? -1 }))
            .filter(({ rank, at }) => rank !== undefined && (isEnough || at >= 0))
            .sort(
              (a, b) =>
                Number(a.rank) - Number(b.rank) ||
                b.at - a.at ||
                compareText(folded(a.item.name), folded(b.item.name)) ||
                KINDS.indexOf(a.item.kind) - KINDS.indexOf(b.item.kind) ||
                a.item.id - b.item.id,
            )
            .map(({ item }) => shownOf(item, seen));
          const path = `/api/search/suggestions?count=50&query=${encodeURIComponent(text)}`;
          const answer = await context.callAs(viewer, "GET", path);
          const { data } = (await answer.json()) as { data: Record<string, { id: number }>[] };
          const found = data.map(({ type, id, book, chapter }) => [type, id, book?.id, chapter?.id] as unknown);
          expect([text, found]).toEqual([text, expected]);
        }
      }
    },
  );
  await fc.assert(property, { numRuns: 25 });
}, 120_000);

function compareText(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}

/** Kind, id, and the ids of the book and chapter that the viewer sees. */
function shownOf({ kind, id, book_id, chapter_id }: NamedItem, seen: readonly NamedItem[]): unknown {
  const parent = (of: string, wanted?: number | null) =>
    seen.find((each) => each.kind === of && each.id === wanted)?.id;
  return [kind, id, parent("book", book_id), parent("chapter", chapter_id)];
}

test("the list of the screen is cut to the longest text that is compared, also within a pair of surrogates", async () => {
  const body = { email: "admin@example.com", password: "correct horse battery" };
  const { headers } = await runtime.ask("POST", "/api/session", { as: null, body });
  const cookie = headers.get("set-cookie")?.split(";")[0] ?? "";
  for (const before of ["", "a"]) {
    const path = `/search/suggestions?query=${before}${encodeURIComponent("😀".repeat(200))}`;
    expect((await runtime.ask("GET", path, { as: null, headers: { accept: "text/html", cookie } })).status).toBe(200);
  }
});
