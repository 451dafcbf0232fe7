/** Search by relevance: what people type finds what they mean, and only what they may see. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { SYSTEM, sql } from "lectern/core";
import { rows } from "lectern/db";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

/** Pages by name. */
const PAGES: Readonly<Record<string, string>> = {
  Failover: "Promote the walrus replica when the primary has failed. Ask R&D first.",
  "Walrus care": "Walruses were running along the coast; a walrus eats clams.",
  "Server settings":
    "Set node.js to version 22 and read(file) with fs.readFile. ERR_NO_ROUTE means that nothing answers.",
  Cooking: "The walls of the kitchen are white. An e-mail goes out. R and D are letters.",
  都市: "東京都は日本の首都です。",
  "Café menu": "Crème brûlée and éclairs, à la carte",
  Übersicht: "Die Häuser und die Bücher stehen im Regal.",
  "Far apart": `primary ${"filler ".repeat(80)} replica`,
};

let runtime: TestRuntime;
let book: number;
let shelf: number;
const ids = new Map<string, number>();
beforeAll(async () => {
  runtime = await bootTestRuntime();
  const create = async (path: string, body: object) =>
    (await runtime.ask("POST", `/api/${path}`, { body })).body.id as number;
  book = await create("books", { name: "Coast" });
  shelf = await create("shelves", { name: "North", books: [book] });
  for (const [name, text] of Object.entries(PAGES))
    ids.set(
      name,
      await create("pages", {
        book_id: book,
        name,
        html: `<p>${text.replaceAll("&", "&amp;")}</p>`,
        ...(name === "Übersicht" && { tags: [{ name: "language", value: "de" }] }),
        ...(name === "Cooking" && { tags: [{ name: "ver", value: "7" }] }),
      }),
    );
});
afterAll(() => runtime.stop());

async function search(query: string, options = "", as?: string) {
  const path = `/api/search?mode=better&query=${encodeURIComponent(query)}${options}`;
  const { status, body } = await runtime.ask("GET", path, as === undefined ? {} : { as });
  expect(status).toBe(200);
  return body;
}
const names = ({ data }: { data: readonly { name: string }[] }) => data.map(({ name }) => name);

test("other forms of a word are found, the word itself first", async () => {
  expect(names(await search("walrus"))).toEqual(["Walrus care", "Failover"]);
  expect(names(await search("fails"))).toEqual(["Failover"]);
  expect(names(await search("runs"))).toEqual(["Walrus care"]);
  expect(names(await search("failov"))).toEqual(["Failover"]);
});

test("items are stemmed in their own language, and accents make no difference", async () => {
  expect(names(await search("haus"))).toEqual(["Übersicht"]);
  expect(names(await search("häusern"))).toEqual(["Übersicht"]);
  expect(names(await search("creme brulee"))).toEqual(["Café menu"]);
  expect(names(await search("CAFE"))).toEqual(["Café menu"]);
});

test("a misspelt word finds what was meant, and the answer says so", async () => {
  for (const [typed, used] of Object.entries({ walrsu: "walrus", failver: "failover", settigns: "settings" })) {
    const found = await search(typed);
    expect([typed, found.corrected]).toEqual([typed, { query: used, words: [{ typed, used }] }]);
    expect(found.total).toBeGreaterThan(0);
  }
  expect(await search("zzyzxq")).toEqual({ data: [], total: 0 });
});

test("a word with signs is one word", async () => {
  expect(names(await search("R&D"))[0]).toBe("Failover");
  expect(names(await search("node.js"))).toEqual(["Server settings"]);
  expect(names(await search("e-mail"))).toEqual(["Cooking"]);
  expect(names(await search("fs.readFile()"))).toEqual(["Server settings"]);
  expect(names(await search("ERR_NO_ROUTE"))).toEqual(["Server settings"]);
  expect(names(await search("read(file)"))[0]).toBe("Server settings");
});

test("scripts without spaces are found by parts of a run", async () => {
  for (const part of ["東京", "日本", "首都です", "都市"]) expect(names(await search(part))).toContain("都市");
  expect(names(await search("東日"))).toEqual([]);
});

test("of runs of thousands of words the first different ones are searched, which finds what has them all", async () => {
  expect(names(await search(`東京都は日本の首都です。${"東京都は日本の".repeat(100)}`))).toEqual(["都市"]);
  const letters = Array.from({ length: 2_000 }, (_, at) => `w${at}&`).join("");
  const started = performance.now();
  expect(await search(`${letters}w`)).toEqual({ data: [], total: 0 });
  expect(performance.now() - started).toBeLessThan(1_000);
});

test("words that stand near each other count more, and a whole name most", async () => {
  const found = names(await search("walrus replica"));
  expect(found[0]).toBe("Failover");
  expect(names(await search("primary replica")).indexOf("Failover")).toBeLessThan(
    names(await search("primary replica")).indexOf("Far apart"),
  );
  expect(names(await search("far apart"))[0]).toBe("Far apart");
});

test("exact texts, tags and filters narrow it, and brackets that are no tag are words", async () => {
  expect(names(await search('"promote the walrus"'))).toEqual(["Failover"]);
  expect(names(await search('"the promote walrus"'))).toEqual([]);
  expect(names(await search('walrus -"eats clams"'))).toEqual(["Failover"]);
  expect(names(await search("[ver=7]"))).toEqual(["Cooking"]);
  expect(names(await search("white [ver]"))).toEqual(["Cooking"]);
  expect(await search("[clams] eats")).toMatchObject({ total: 1, corrected: { query: "clams eats", words: [] } });
  expect(names(await search(`coast {in_book:${book}} {type:book}`))).toEqual(["Coast"]);
  expect(names(await search(`walrus {in_book:${book + 1}}`))).toEqual([]);
  expect(names(await search(`walrus {in_shelf:${shelf}}`))).toEqual(["Walrus care", "Failover"]);
  expect(names(await search("walrus {in_shelf:nonsense}"))).toEqual([]);
});

test("a search of filters alone knows books and shelves, orders and facets too", async () => {
  const other = (await runtime.ask("POST", "/api/books", { body: { name: "Abroad" } })).body.id as number;
  await runtime.ask("POST", "/api/pages", {
    body: { book_id: other, name: "Zebra", html: "<p>x</p>" },
  });
  const inOther = await search(`{in_book:${other}}`, "&facets=true&sort=name");
  expect([names(inOther), inOther.total]).toEqual([["Abroad", "Zebra"], 2]);
  expect(inOther.facets.books).toEqual([{ id: other, name: "Abroad", count: 2 }]);
  expect(names(await search(`{in_shelf:${shelf}} {type:book|bookshelf}`)).sort()).toEqual(["Coast", "North"]);
  expect(names(await search("{type:page}", "&sort=name&count=1&page=8"))).toEqual(["Zebra"]);
  expect(names(await search("{type:page}", "&sort=created&count=1"))).toEqual(["Zebra"]);
  expect(names(await search("{type:page}", "&sort=updated&count=1"))).toEqual(["Zebra"]);
  expect(await search(`{in_book:${other}} &&`)).toEqual({ data: [], total: 0 });
});

test("results are in the order that is asked for", async () => {
  await runtime.ask("PUT", `/api/pages/${ids.get("Failover")}`, { body: { name: "Failover", html: "<p>walrus</p>" } });
  expect(names(await search("walrus", "&sort=updated"))).toEqual(["Failover", "Walrus care"]);
  expect(names(await search("walrus", "&sort=created"))).toEqual(["Walrus care", "Failover"]);
  expect(names(await search("walrus", "&sort=name"))).toEqual(["Failover", "Walrus care"]);
  const path = `/api/search?mode=better&query=walrus&sort=size`;
  expect((await runtime.ask("GET", path)).status).toBe(422);
  expect((await runtime.ask("GET", "/api/search?mode=best&query=walrus")).status).toBe(422);
});

test("passages show the hits, as HTML that is safe", async () => {
  await runtime.ask("POST", "/api/pages", {
    body: {
      book_id: book,
      name: "Long",
      html: `<p>${"filler ".repeat(200)} the <b>narwhal</b> &lt;img src=x&gt; ${"filler ".repeat(200)}</p>`,
    },
  });
  const { data } = await search("narwhal");
  expect(data[0].passages).toHaveLength(1);
  expect(data[0].passages[0]).toContain("<strong>narwhal</strong> &lt;img src=x&gt;");
  expect(data[0].passages[0].length).toBeLessThan(300);
});

test("facets count the results by kind, book, shelf, tag and author", async () => {
  const { facets } = await search("walrus white", "&facets=true");
  expect(facets).toMatchObject({
    types: [{ value: "page", count: 3 }],
    books: [{ id: book, name: "Coast", count: 3 }],
    shelves: [{ id: shelf, name: "North", count: 3 }],
    tags: [{ name: "ver", value: "7", count: 1 }],
  });
  expect(facets.authors.map(({ count }: { count: number }) => count)).toEqual([3]);
});

test("what the viewer may not see is not found, not counted, not corrected to and in no facet", async () => {
  const hidden = (await runtime.ask("POST", "/api/books", { body: { name: "Vault" } })).body.id as number;
  const secret = { book_id: hidden, name: "Plan", html: "<p>Operation nightjar begins on the coast.</p>" };
  await runtime.ask("POST", "/api/pages", { body: { ...secret, tags: [{ name: "codename", value: "nightjar" }] } });
  await runtime.ask("PUT", `/api/content-permissions/book/${hidden}`, {
    body: { fallback_permissions: { inheriting: false, view: false, create: false, update: false, delete: false } },
  });
  const { token: reader } = await runtime.person("reader", [
    "access-api",
    ...["bookshelf", "book", "chapter", "page"].map((kind) => `${kind}-view-all`),
  ]);
  expect((await search("nightjra")).corrected).toEqual({
    query: "nightjar",
    words: [{ typed: "nightjra", used: "nightjar" }],
  });
  expect(await search("nightjra", "", reader)).toEqual({ data: [], total: 0 });
  expect(await search("nightjar", "&facets=true", reader)).toMatchObject({ data: [], total: 0 });
  const { facets } = await search("coast", "&facets=true", reader);
  expect(JSON.stringify(facets)).not.toMatch(/Vault|codename/);
});

test("a word of items that the viewer may not see is corrected as one that no item has", async () => {
  const hidden = (await runtime.ask("POST", "/api/books", { body: { name: "Cellar" } })).body.id as number;
  await runtime.ask("POST", "/api/pages", { body: { book_id: hidden, name: "Cask", html: "<p>walrux failovex</p>" } });
  await runtime.ask("PUT", `/api/content-permissions/book/${hidden}`, {
    body: { fallback_permissions: { inheriting: false, view: false, create: false, update: false, delete: false } },
  });
  const { token: reader } = await runtime.person("cellar", [
    "access-api",
    ...["bookshelf", "book", "chapter", "page"].map((kind) => `${kind}-view-all`),
  ]);
  // The first of each two is a word of the hidden page, or begins one; the second is nowhere.
  for (const [there, nowhere] of [
    ["walrux", "walruq"],
    ["walrux clams", "walruq clams"],
    ["failove failovex", "failove failoveq"],
  ] as const) {
    const [known, unknown] = [await search(there, "", reader), await search(nowhere, "", reader)];
    expect(known.corrected.words.at(-1).used).toBe(unknown.corrected.words.at(-1).used);
    expect([names(known), known.total]).toEqual([names(unknown), unknown.total]);
  }
  expect(await search("walrux")).toMatchObject({ data: [{ name: "Cask" }], total: 1 });
  // What a filter leaves out has the word nevertheless.
  expect(await search(`walrux {in_book:${book}}`)).toEqual({ data: [], total: 0 });
});

test("every item of a total that is exact is on some page, also if each of several words has hundreds", async () => {
  for (let at = 0; at < 520; at += 40)
    await Promise.all(
      Array.from({ length: 40 }, async (_, more) => {
        const name = `${(at + more) % 2 ? "odd" : "even"}pebble`;
        expect((await runtime.ask("POST", "/api/shelves", { body: { name } })).status).toBe(200);
      }),
    );
  const found: number[] = [];
  for (let page = 1; page <= 6; page++) {
    const answer = await search("oddpebble evenpebble", `&count=100&page=${page}&facets=true`);
    expect([answer.total, answer.total_is_lower_bound]).toEqual([520, undefined]);
    expect(answer.facets.types).toEqual([{ value: "bookshelf", count: 500 }]);
    found.push(...answer.data.map(({ id }: { id: number }) => id));
  }
  expect([found.length, new Set(found).size]).toEqual([520, 520]);
}, 60_000);

test("/api/search without the mode is as before", async () => {
  const { body } = await runtime.ask("GET", "/api/search?query=walrsu&sort=name&facets=true");
  expect(body).toEqual({ data: [], total: 0 });
});

test("texts of attached files find their page, and are shown with it, to those who see the page", async () => {
  const parts = new FormData();
  parts.set("name", "Inventory");
  parts.set("uploaded_to", String(ids.get("Far apart")));
  parts.set("file", new File([`${"filler ".repeat(500)}the heliotrope stands in the shed`], "inventory.txt"));
  const { body } = await runtime.ask("POST", "/api/attachments", { parts });
  await runtime.runtime.jobs.drain();
  const { data, total } = await search("heliotropes");
  expect([total, data[0].name]).toEqual([1, "Far apart"]);
  expect(data[0].attachments).toEqual([
    {
      id: body.id,
      name: "Inventory",
      url: expect.stringContaining(`/attachments/${body.id}`),
      passages: expect.any(Array),
    },
  ]);
  expect(data[0].attachments[0].passages[0]).toContain("the <strong>heliotrope</strong> stands");
  // Exact texts are looked for in the page and in each file; words beside them may be in either.
  const exact = [
    '"heliotrope stands"',
    'primary "The heliotrope stands in"',
    'heliotrope "primary filler"',
    '"inventory"',
  ];
  for (const query of [...exact, 'heliotrope "stands in the shed"', 'shed "primary" "the heliotrope"']) {
    const answer = await search(query);
    const [file] = answer.data[0]?.attachments ?? [];
    expect([query, names(answer), answer.total, file?.id]).toEqual([query, ["Far apart"], 1, body.id]);
  }
  for (const query of [
    '"stands heliotrope"',
    'clams "heliotrope stands"',
    '"primary heliotrope"',
    "{in_body:heliotrope}",
  ])
    expect([query, await search(query)]).toEqual([query, { data: [], total: 0 }]);
  expect(names(await search('primary -"heliotrope stands"'))).toContain("Far apart");
  const { token: nobody } = await runtime.person("nobody", ["access-api"]);
  for (const query of ["heliotrope", '"heliotrope stands"']) {
    expect(await search(query, "&facets=true", nobody)).toMatchObject({ data: [], total: 0 });
    const { body } = await runtime.ask("GET", `/api/search?query=${encodeURIComponent(query)}`);
    expect(body).toEqual({ data: [], total: 0 });
  }
});

test("entries that an older version writes are found, and learned after the next boot", async () => {
  await rows(
    runtime.db,
    sql`insert into search_index (kind, item_id, document, words, digest)
      values ('page', ${ids.get("Cooking")}::integer, '2', '''sandpiper'' ''cooking''', '''sandpiper'':1D ''cooking'':2A ''=cooking''')
      on conflict (kind, item_id) do update set words = excluded.words, digest = excluded.digest, word_count = null`,
  );
  expect(names(await search("sandpiper"))).toEqual(["Cooking"]);
  await runtime.runtime.bus.perform("app_boot", SYSTEM, {}, async () => ({}));
  await runtime.runtime.jobs.drain();
  expect(names(await search("sandpiper"))).toEqual([]);
  expect(names(await search("kitchens"))).toEqual(["Cooking"]);
});

test("words of an item that is destroyed are suggested to nobody any more", async () => {
  const page = { book_id: book, name: "Leaving", html: "<p>The quetzalcoatlus walruses</p>" };
  const { id } = (await runtime.ask("POST", "/api/pages", { body: page })).body;
  expect((await search("quetzalcoatlsu")).corrected).toMatchObject({ words: [{ used: "quetzalcoatlus" }] });
  await runtime.ask("DELETE", `/api/pages/${id}`);
  const [{ id: deletion }] = (await runtime.ask("GET", "/api/recycle-bin")).body.data;
  expect((await runtime.ask("DELETE", `/api/recycle-bin/${deletion}`)).body).toEqual({ delete_count: 1 });
  const left = await rows(runtime.db, sql`select word from search_words where word in ('quetzalcoatlus', 'walrus')`);
  expect(left).toEqual([{ word: "walrus" }]);
  expect((await search("walrsu")).corrected).toMatchObject({ words: [{ used: "walrus" }] });
});

test("words of attached files leave with the last file, page or item that has them", async () => {
  const create = async (text: string) =>
    (await runtime.ask("POST", "/api/pages", { body: { book_id: book, name: "Attached", html: `<p>${text}</p>` } }))
      .body.id as number;
  const attach = async (page: number, text: string) => {
    const parts = new FormData();
    for (const [name, value] of Object.entries({ name: "f.txt", uploaded_to: String(page) })) parts.set(name, value);
    parts.set("file", new File([text], "f.txt"));
    return (await runtime.ask("POST", "/api/attachments", { parts })).body.id as number;
  };
  const destroy = async (page: number) => {
    await runtime.ask("DELETE", `/api/pages/${page}`);
    const [{ id }] = (await runtime.ask("GET", "/api/recycle-bin?sort=-id&count=1")).body.data;
    await runtime.ask("DELETE", `/api/recycle-bin/${id}`);
  };
  const words = ["basilosaurus", "dimorphodon", "ichthyornis"];
  const known = [...words, "pelagornis"];
  const left = async () => {
    await runtime.runtime.jobs.drain();
    const found = await rows<{ word: string }>(
      runtime.db,
      sql`select word from search_words where word = any(${known}::text[]) order by word`,
    );
    return found.map(({ word }) => word);
  };
  const [first, second] = [await create("dimorphodon ichthyornis"), await create("other")];
  const file = await attach(first, words.join(" "));
  await attach(second, "ichthyornis");
  expect(await left()).toEqual(words);
  const replacement = new FormData();
  replacement.set("file", new File(["basilosaurus"], "f.txt"));
  await runtime.ask("PUT", `/api/attachments/${await attach(second, "pelagornis")}`, { parts: replacement });
  expect(await left()).toEqual(words);
  await runtime.ask("DELETE", `/api/attachments/${file}`);
  expect(await left()).toEqual(words);
  await destroy(first);
  expect(await left()).toEqual(["basilosaurus", "ichthyornis"]);
  await destroy(second);
  expect(await left()).toEqual([]);
});
