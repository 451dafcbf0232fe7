/** Search: what each part of a query finds, the order of results, their excerpts, and that nobody finds what they may not see. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { sql } from "lectern/core";
import { rows } from "lectern/db";
import { statementsOf } from "../support/harness/query_plans.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

let runtime: TestRuntime;
const made: Record<string, { id: number; slug: string }> = {};
beforeAll(async () => {
  runtime = await bootTestRuntime();
  const make = async (name: string, segment: string, body: object) => {
    made[name] = (await runtime.ask("POST", `/api/${segment}`, { body })).body;
    return made[name] as { id: number };
  };
  const zoo = await make("zoo", "books", {
    name: "Zoo",
    description: "All the animals",
    tags: [{ name: "kind", value: "guide" }],
  });
  const birds = await make("birds", "chapters", { book_id: zoo.id, name: "Birds", description: "With wings" });
  await make("heron", "pages", {
    chapter_id: birds.id,
    name: "Heron",
    html: "<p>Stands in <em>shallow</em> water &amp; waits</p>",
    tags: [{ name: "cost", value: "15" }],
  });
  await make("crane", "pages", {
    chapter_id: birds.id,
    name: "Crane",
    html: "<p>Not a heron, though it looks like one</p>",
    tags: [{ name: "cost", value: "7" }],
  });
  await make("shelf", "shelves", { name: "Outdoors", description: "Books about animals", books: [zoo.id] });
});
afterAll(() => runtime.stop());

const search = async (query: string, more = "", as = runtime.token) =>
  (await runtime.ask("GET", `/api/search?query=${encodeURIComponent(query)}${more}`, { as })).body;
const names = async (query: string): Promise<string[]> =>
  (await search(query)).data.map(({ name }: { name: string }) => name);

test("each part of a query finds what it says, names before bodies", async () => {
  for (const [query, found] of [
    ["heron", ["Heron", "Crane"]],
    ["HER", ["Heron", "Crane"]],
    ["wings shallow", ["Birds", "Heron"]],
    ["animals", ["Outdoors", "Zoo"]],
    ['"stands in shallow"', ["Heron"]],
    ['heron -"looks like"', ["Heron"]],
    ["[kind=guide]", ["Zoo"]],
    ["[cost]", ["Heron", "Crane"]],
    ["[cost>9]", ["Heron"]],
    ["[cost<=7]", ["Crane"]],
    ["-[cost] {type:page}", []],
    ["[=guide]", ["Zoo"]],
    ["[kind like G%]", ["Zoo"]],
    ["{type:chapter|bookshelf}", ["Outdoors", "Birds"]],
    ["{in_name:cran}", ["Crane"]],
    ["{in_body:waits}", ["Heron"]],
    ["heron {created_by:me}", ["Heron", "Crane"]],
    ["heron {created_by:nobody} -{owned_by:nobody}", ["Heron", "Crane"]],
    ["heron {created_by:admin}", ["Heron", "Crane"]],
    ["heron -{created_by:me}", []],
    ["heron {created_after:2000-01-01} {updated_before:2999-01-01}", ["Heron", "Crane"]],
    ["heron {created_before:2000-01-01}", []],
    ["heron {created_after:never} -{updated_before:soon}", ["Heron", "Crane"]],
    ["heron {created_after:yesterday} {updated_before:tomorrow}", ["Heron", "Crane"]],
    ["heron {created_after:-1 week}", ["Heron", "Crane"]],
    ["heron {created_before:2 weeks ago}", []],
    ["{is_template}", []],
    ["heron {unknown:filter}", ["Heron", "Crane"]],
    ["...", []],
    ["' | & ! :* \\", []],
    ["nobodywrotethis", []],
    // Within words, and across the ends of words.
    ['"hallow"', ["Heron"]],
    ['"nds in shall"', ["Heron"]],
    ['"hallow" {type:book}', []],
    ["{in_body:nds in shall}", ["Heron"]],
    ['heron "hallow"', ["Heron"]],
  ] as const)
    expect([query, (await names(query)).sort()]).toEqual([query, [...found].sort()]);
  expect((await names("heron"))[0]).toBe("Heron");
});

test("a result shows where it lies and what was found in it", async () => {
  const { data, total } = await search("shallow");
  expect(total).toBe(1);
  expect(data[0]).toMatchObject({
    id: made.heron?.id,
    name: "Heron",
    type: "page",
    url: `${runtime.baseUrl}/books/zoo/page/heron`,
    book: { id: made.zoo?.id, name: "Zoo", slug: "zoo" },
    chapter: { id: made.birds?.id, name: "Birds", slug: "birds" },
    tags: [{ name: "cost", value: "15", order: 0 }],
    preview_html: { name: "Heron", content: "Stands in <strong>shallow</strong> water &amp; waits" },
  });
  expect((await search("guide")).data[0].tags).toEqual([
    { name: "kind", value: "guide", order: 0, highlight_value: true },
  ]);
});

test("results come in pages, and bad numbers are refused", async () => {
  const first = await search("{type:page}", "&count=1");
  const second = await search("{type:page}", "&count=1&page=2");
  expect([first.total, first.data.length, second.data.length, first.data[0].id !== second.data[0].id]).toEqual([
    2,
    1,
    1,
    true,
  ]);
  expect((await search("{type:page}", "&page=9")).data).toEqual([]);
  expect((await search("x", "&page=0&count=101")).error.validation).toEqual({
    page: ["The page must be at least 1."],
    count: ["The count may not be greater than 100."],
  });
});

test("what is changed, deleted, restored and destroyed is found as it is", async () => {
  const page = (
    await runtime.ask("POST", "/api/pages", { body: { book_id: made.zoo?.id, name: "Gnu", html: "<p>grazes</p>" } })
  ).body;
  expect(await names("grazes")).toEqual(["Gnu"]);
  await runtime.ask("PUT", `/api/pages/${page.id}`, {
    body: { html: "<p>gallops</p>", tags: [{ name: "speed", value: "fast" }] },
  });
  expect([await names("grazes"), await names("gallops"), await names("fast")]).toEqual([[], ["Gnu"], ["Gnu"]]);
  await runtime.ask("DELETE", `/api/pages/${page.id}`);
  expect(await names("gallops")).toEqual([]);
  const [entry] = (await runtime.ask("GET", `/api/recycle-bin?filter[deletable_id]=${page.id}`)).body.data;
  await runtime.ask("PUT", `/api/recycle-bin/${entry.id}`);
  expect(await names("gallops")).toEqual(["Gnu"]);
  await runtime.ask("DELETE", `/api/pages/${page.id}`);
  const [again] = (await runtime.ask("GET", `/api/recycle-bin?filter[deletable_id]=${page.id}`)).body.data;
  await runtime.ask("DELETE", `/api/recycle-bin/${again.id}`);
  expect(
    await rows(runtime.db, sql`select from search_index where kind = 'page' and item_id = ${page.id}::integer`),
  ).toEqual([]);
});

test("nobody finds what they do not see, nor learns of it by its parents or the total", async () => {
  const reader = await runtime.person("reader", ["access-api", "page-view-all"]);
  expect(await search("heron zoo birds", "", reader.token)).toMatchObject({ total: 2 });
  const [found] = (await search("shallow", "", reader.token)).data;
  expect([found.book, found.chapter]).toEqual([undefined, undefined]);
  await runtime.ask("PUT", `/api/content-permissions/page/${made.heron?.id}`, {
    body: { fallback_permissions: { inheriting: false, view: false, create: false, update: false, delete: false } },
  });
  expect(await search("shallow", "", reader.token)).toEqual({ data: [], total: 0 });
  expect(await names("{is_restricted}")).toEqual(["Heron"]);
});

test("items from before the search, and entries of its first form, are found while and after they are indexed", async () => {
  await rows(runtime.db, sql`delete from search_index where kind = 'page'`);
  await rows(
    runtime.db,
    sql`update search_index set words = null, digest = null,
    document = to_tsvector('simple', 'Zoo Birds Outdoors All the animals')`,
  );
  const { SYSTEM } = await import("lectern/core");
  await runtime.runtime.bus.perform("app_boot", SYSTEM, {}, async () => ({}));
  expect([await names("crane"), (await names("animals")).sort()]).toEqual([[], ["Birds", "Outdoors", "Zoo"]]);
  expect((await names('"all the animals"')).sort()).toEqual(["Zoo"]);
  await runtime.runtime.jobs.drain();
  expect([await names("crane"), (await names("animals")).sort()]).toEqual([["Crane"], ["Outdoors", "Zoo"]]);
  expect(
    await rows(runtime.db, sql`select from search_index where words is null or document <> '2'::tsvector`),
  ).toEqual([]);
});

test("a boot looks for items without an entry only where the entries are not those of the items", async () => {
  const { SYSTEM } = await import("lectern/core");
  const boot = () =>
    statementsOf(runtime, async () => {
      await runtime.runtime.bus.perform("app_boot", SYSTEM, {}, async () => ({}));
      await runtime.runtime.jobs.drain();
    });
  const lookUps = async () => (await boot()).filter(({ text }) => text.includes("as missing")).length;
  expect(await lookUps()).toBe(0);
  await rows(
    runtime.db,
    sql`update search_index set item_id = 99999 where kind = 'page'
    and item_id = (select id from pages where name = 'Crane')`,
  );
  expect(await names("crane")).toEqual([]);
  expect(await lookUps()).toBe(1);
  expect(await names("crane")).toEqual(["Crane"]);
  await rows(runtime.db, sql`delete from search_index where item_id = 99999`);
});

test("words are split at all punctuation but the underscore, and compared without case and accents", async () => {
  const text =
    "SNAKE_CASE_THING wobblegate-flarp.yaml http://zagz.example.com/pathway/nodule CVE-2024-77777 Café “quoted words” don’t";
  const body = { book_id: made.zoo?.id, name: "Splitting", html: `<p>${text}</p>` };
  await runtime.ask("POST", "/api/pages", { body });
  for (const query of [
    ...["SNAKE_CASE_THING", "snake_case", "wobblegate", "flarp", "nodule", "77777", "example", "CVE-2024-77777"],
    ...[
      "wobblegate-flarp.yaml",
      "http://zagz.example.com/pathway",
      "cafe",
      "CAFÉ",
      "cafe\u0301",
      '"cafe “quoted words"',
    ],
    ...["“quoted words”", "don't", "don’t", "{in_body:77777 cafe}", "{in_body:café}"],
  ])
    expect([query, await names(query)]).toEqual([query, ["Splitting"]]);
  for (const query of ["CASE_THING", "THING", '"words quoted"', '-"quoted words" wobblegate'])
    expect([query, await names(query)]).toEqual([query, []]);
});

test("text without spaces between words is found by its parts", async () => {
  const body = { book_id: made.zoo?.id, name: "動物園", html: "<p>私は東京に住んでいます</p>" };
  await runtime.ask("POST", "/api/pages", { body });
  for (const query of ["東京", "住んで", '"東京に"', "物園", "に"])
    expect([query, await names(query)]).toEqual([query, ["動物園"]]);
  expect(await names("京東")).toEqual([]);
});

test("a name weighs more than a heading, a heading more than a text", async () => {
  const filler = "vulture ".repeat(50);
  for (const [name, html] of [
    ["In the text", `<p>${filler}</p>`],
    ["In a heading", "<h3>The vulture</h3><p>text</p>"],
    ["Vulture", "<p>text</p>"],
  ])
    await runtime.ask("POST", "/api/pages", { body: { book_id: made.zoo?.id, name, html } });
  expect(await names("vulture")).toEqual(["Vulture", "In a heading", "In the text"]);
});

test("the name of a book or chapter that is the query comes before pages, whatever they contain", async () => {
  const often = "<h2>Ibis Ibis</h2><p>Ibis ibis ibis.</p>";
  await runtime.ask("POST", "/api/pages", { body: { book_id: made.zoo?.id, name: "Ibis", html: often } });
  await runtime.ask("POST", "/api/pages", { body: { book_id: made.zoo?.id, name: "Ibis of Ibis", html: often } });
  const tags = [{ name: "Ibis", value: "Ibis" }];
  const chapter = { book_id: made.zoo?.id, name: "IBIS", description: "other words" };
  await runtime.ask("POST", "/api/chapters", { body: chapter });
  await runtime.ask("POST", "/api/books", { body: { name: "Íbis", tags: [] } });
  await runtime.ask("POST", "/api/chapters", { body: { ...chapter, name: "Ibis and others", tags } });
  expect((await names("ibis")).slice(0, 3)).toEqual(["Íbis", "IBIS", "Ibis"]);
  expect((await names("ibis {type:page}"))[0]).toBe("Ibis");
  await runtime.ask("POST", "/api/pages", {
    body: { book_id: made.zoo?.id, name: "Q&A: v1.2, a-b", html: "<p>x</p>" },
  });
  expect((await names("Q&A: v1.2, a-b"))[0]).toBe("Q&A: v1.2, a-b");
});

test("dots and dashes within a word are soft: such a word is an alternative, and signs at its end count for nothing", async () => {
  const body = { book_id: made.zoo?.id };
  await runtime.ask("POST", "/api/pages", { body: { ...body, name: "Runtime", html: "<p>toucan.js runs it</p>" } });
  await runtime.ask("POST", "/api/pages", { body: { ...body, name: "Toucan", html: "<p>macaws; js, toucan</p>" } });
  for (const [query, found] of [
    ["toucan.js", ["Runtime"]],
    ["toucan.js macaws", ["Runtime", "Toucan"]],
    ["Toucan.", ["Runtime", "Toucan"]],
    ["toucan*", ["Runtime", "Toucan"]],
    ["toucan-js", []],
    ["{in_name:runtime} .js", ["Runtime"]],
  ] as const)
    expect([query, (await names(query)).sort()]).toEqual([query, [...found].sort()]);
});

test("words with signs are found in tags and names, and by what they begin with", async () => {
  const tags = [{ name: "team", value: "Ops\\EU/1+2" }];
  await runtime.ask("POST", "/api/books", { body: { name: "Rhea&Emu=Ñandú", tags } });
  for (const query of ["rhea&em", "RHEA&EMU=NANDU", "&emu", "ops\\eu", "eu/1+2", "ops\\eu/1+2", "/1+2"])
    expect([query, await names(query)]).toEqual([query, ["Rhea&Emu=Ñandú"]]);
  for (const query of ["rhea=emu", "hea&emu", "rhea&nandu", "eu/2+1", "+eu"])
    expect([query, await names(query)]).toEqual([query, []]);
});

test("a page of many megabytes can be saved and is found by its beginning", async () => {
  const words = Array.from({ length: 300_000 }, (_, at) => `word${at}`).join(" ");
  const body = { book_id: made.zoo?.id, name: "Long", html: `<p>${words}</p>` };
  expect((await runtime.ask("POST", "/api/pages", { body })).status).toBe(200);
  expect(await names("word77")).toEqual(["Long"]);
});

test("pages of any run of characters are saved and found by what they begin with", async () => {
  for (const unit of [
    "_a",
    "a-",
    "a/",
    "a.",
    "1.",
    "9f",
    "a@a.",
    "http://a.a/",
    "é",
    "a\u0301",
    "東",
    "&amp;",
    "\u200d",
    "𝒳",
  ]) {
    const body = { book_id: made.zoo?.id, name: `Run ${unit}`, html: `<p>zebrafish ${unit.repeat(100_000)}</p>` };
    expect([unit, (await runtime.ask("POST", "/api/pages", { body })).status]).toEqual([unit, 200]);
  }
  expect((await search("zebrafish")).total).toBe(14);
});

test("an item with many long tags is saved and found by its name and first tags", async () => {
  const tags = Array.from({ length: 1_500 }, (_, at) => ({
    name: `tag${at}${"n".repeat(180)}`,
    value: "€".repeat(180),
  }));
  const { status } = await runtime.ask("POST", "/api/books", { body: { name: "Tagged quagga", tags } });
  expect([status, await names("quagga"), await names("tag7n")]).toEqual([200, ["Tagged quagga"], ["Tagged quagga"]]);
});

test("a word of any length is looked for, and finds nothing that is not there", async () => {
  const { status, body } = await runtime.ask("GET", `/api/search?query=${"q".repeat(5_000)}`);
  expect([status, body.total]).toEqual([200, 0]);
});

test("tags are found whatever their letter case and accents", async () => {
  const long = "é".repeat(254);
  const tags = [
    { name: "Größe", value: "Straße" },
    { name: "Wörter", value: `${long}x` },
    { name: `${long}x`, value: "" },
  ];
  await runtime.ask("POST", "/api/books", { body: { name: "Okapi", tags } });
  for (const [query, found] of [
    ["[grosse]", true],
    ["[GRÖSSE=STRASSE]", true],
    ["[=strasse]", true],
    ["[größe=straßen]", false],
    ["[grosse!=straße]", false],
    ["[grosse like STRA%E]", true],
    ["[grosse like stra\\]", false],
    ["[grosse>stra]", true],
    [`[worter=${"E".repeat(254)}X]`, true],
    [`[worter=${"E".repeat(254)}Y]`, false],
    [`[${"e".repeat(254)}X]`, true],
    [`[${"e".repeat(254)}]`, false],
  ] as const)
    expect([query, (await names(query)).includes("Okapi")]).toEqual([query, found]);
  const values = await runtime.ask("GET", "/api/tags/values-for-name?name=GROSSE");
  expect(values.body.data).toMatchObject([{ name: "Größe", value: "Straße", usages: 1 }]);
});
