/** The order of a book, written in one request: the wanted order, items that were added meanwhile, and permissions. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

setDefaultTimeout(60_000);

let runtime: TestRuntime;
beforeAll(async () => {
  runtime = await bootTestRuntime();
});
afterAll(() => runtime.stop());

type Names = Readonly<Record<string, number>>;
interface Shown {
  readonly id: number;
  readonly name: string;
  readonly type?: string;
  readonly pages?: readonly Shown[];
}

/** A book of chapters with their pages, and pages of its own: `{ One: ["a", "b"], c: null }`. */
async function book(contents: Readonly<Record<string, readonly string[] | null>>): Promise<Names & { book: number }> {
  const ids: Record<string, number> = {};
  const make = async (segment: string, body: { name: string }) => {
    ids[body.name] = (await runtime.ask("POST", `/api/${segment}`, { body })).body.id;
  };
  const { id } = (await runtime.ask("POST", "/api/books", { body: { name: "Book" } })).body;
  for (const [name, pages] of Object.entries(contents)) {
    if (pages === null) {
      await make("pages", { name, book_id: id, html: "<p>x</p>" } as { name: string });
      continue;
    }
    await make("chapters", { name, book_id: id } as { name: string });
    for (const page of pages) await make("pages", { name: page, chapter_id: ids[name], html: "<p>x</p>" } as never);
  }
  return { ...ids, book: id };
}

/** The order of a book as the administrator reads it: "One[a b] c". */
async function orderOf(id: number): Promise<string> {
  const outline = ({ name, pages }: Shown): string => (pages ? `${name}[${pages.map(outline).join(" ")}]` : name);
  const { contents } = (await runtime.ask("GET", `/api/books/${id}`)).body;
  return contents.map(outline).join(" ");
}
const put = (id: number, items: unknown, as = runtime.token) =>
  runtime.ask("PUT", `/api/books/${id}/order`, { as, body: { items } });
const chapter = (id: number | undefined, pages?: readonly (number | undefined)[]) => ({
  type: "chapter",
  id,
  ...(pages && { pages }),
});
const page = (id: number | undefined) => ({ type: "page", id });

test("chapters and pages stand as they were put, and nothing else about them changes", async () => {
  const { book: id, ...ids } = await book({ One: ["a", "b"], c: null, Two: ["d"] });
  const before = (await runtime.ask("GET", `/api/pages/${ids.c}`)).body;
  const { status } = await put(id, [page(ids.c), chapter(ids.Two, [ids.b, ids.d]), chapter(ids.One, [ids.a])]);
  expect(status).toBe(204);
  expect(await orderOf(id)).toBe("c Two[b d] One[a]");
  const after = (await runtime.ask("GET", `/api/pages/${ids.c}`)).body;
  expect({ ...after, priority: 0 }).toEqual({ ...before, priority: 0 });
  const moved = (await runtime.ask("GET", `/api/pages/${ids.b}`)).body;
  expect([moved.chapter_id, moved.slug, moved.revision_count]).toEqual([ids.Two, "b", 1]);
  await put(id, [page(ids.b), chapter(ids.One, [ids.d])]);
  expect(await orderOf(id)).toBe("c Two[] b One[a d]");
});

test("an order may be sent as a form, whose ids are texts", async () => {
  const { book: id, ...ids } = await book({ One: ["a", "b"], c: null });
  const form = {
    _method: "PUT",
    ...{ "items[0][type]": "page", "items[0][id]": String(ids.c) },
    ...{ "items[1][type]": "chapter", "items[1][id]": String(ids.One) },
    ...{ "items[1][pages][0]": String(ids.b), "items[1][pages][1]": String(ids.a) },
  };
  expect((await runtime.ask("POST", `/api/books/${id}/order`, { form })).status).toBe(204);
  expect(await orderOf(id)).toBe("c One[b a]");
});

test("it is one event, with a move for each page that changes its chapter", async () => {
  const { book: id, ...ids } = await book({ One: ["a", "b"], Two: [] });
  const seen = (await runtime.ask("GET", "/api/audit-log?count=1&sort=-id")).body.data[0].id;
  await put(id, [chapter(ids.Two, [ids.a]), chapter(ids.One)]);
  const { data } = (await runtime.ask("GET", `/api/audit-log?sort=id&filter[id:gt]=${seen}`)).body;
  expect(data.map(({ type, loggable_id }: { type: string; loggable_id: number }) => [type, loggable_id])).toEqual([
    ["page_move", ids.a],
    ["book_sort", id],
  ]);
});

test("what came meanwhile keeps its place, and what is not in the book is refused with all the rest", async () => {
  const { book: id, ...ids } = await book({ One: ["a", "b"], c: null, d: null });
  const late = (
    await runtime.ask("POST", "/api/pages", { body: { name: "late", chapter_id: ids.One, html: "<p>x</p>" } })
  ).body;
  expect((await put(id, [page(ids.d), page(ids.c), chapter(ids.One, [ids.b, ids.a])])).status).toBe(204);
  expect(await orderOf(id)).toBe("d c One[b late a]");
  await runtime.ask("DELETE", `/api/pages/${late.id}`);
  const gone = await put(id, [chapter(ids.One, [ids.a, late.id, ids.b]), page(ids.d)]);
  expect([gone.status, gone.body.error.validation]).toEqual([
    422,
    { "items.0": ["The items.0 names what is not in this book."] },
  ]);
  expect(await orderOf(id)).toBe("d c One[b a]");
});

test("what is no order is refused, fault by fault", async () => {
  const { book: id, ...ids } = await book({ One: ["a"], c: null });
  for (const items of [undefined, "x", []]) expect((await put(id, items)).status).toBe(422);
  const wrong = [
    7,
    { type: "book", id },
    { type: "page", id: "7x" },
    { ...page(ids.c), pages: [ids.a] },
    chapter(ids.One, ["x" as never]),
    chapter(ids.One, [ids.a, ids.a]),
  ];
  const { status, body } = await put(id, wrong);
  expect([status, Object.keys(body.error.validation)]).toEqual([
    422,
    ["items.0", "items.1", "items.2", "items.3.pages", "items.4.pages", "items.5"],
  ]);
  expect((await put(9_999_999, [page(ids.c)])).status).toBe(404);
  expect((await runtime.ask("PUT", "/api/books/x/order", { body: { items: [page(ids.c)] } })).status).toBe(404);
});

test("who may update the book orders it, but moves nothing past another that they may update neither", async () => {
  const views = ["access-api", "book-view-all", "chapter-view-all", "page-view-all"];
  const { book: id, ...ids } = await book({ a: null, b: null, One: ["c"], mine: null });
  const reader = await runtime.person("reader", views);
  expect((await put(id, [page(ids.b)], reader.token)).status).toBe(403);

  const editor = await runtime.person("editor", [...views, "book-update-all", "page-update-own"]);
  await runtime.ask("PUT", `/api/content-permissions/page/${ids.mine}`, { body: { owner_id: editor.id } });
  const past = await put(id, [page(ids.b), page(ids.a), chapter(ids.One), page(ids.mine)], editor.token);
  expect([past.status, past.body.error.message]).toEqual([403, "You do not have permission to move “a”."]);
  const into = await put(id, [page(ids.b), chapter(ids.One, [ids.c, ids.a]), page(ids.mine)], editor.token);
  expect([into.status, into.body.error.message]).toEqual([403, "You do not have permission to move “a”."]);
  expect(await orderOf(id)).toBe("a b One[c] mine");
  const own = await put(id, [page(ids.mine), page(ids.a), page(ids.b), chapter(ids.One)], editor.token);
  expect(own.status).toBe(204);
  expect(await orderOf(id)).toBe("mine a b One[c]");
});

test("items that the viewer does not see move with the item before them, and no answer reveals them", async () => {
  const { book: id, ...ids } = await book({ a: null, secret: null, b: null, "second secret": null });
  const views = ["access-api", "book-view-all", "page-view-own", "book-update-all", "page-update-own"];
  const editor = await runtime.person("half", views);
  for (const name of ["a", "b"])
    await runtime.ask("PUT", `/api/content-permissions/page/${ids[name]}`, { body: { owner_id: editor.id } });
  expect((await put(id, [page(ids.secret)], editor.token)).status).toBe(422);
  expect((await put(id, [page(ids.b), page(ids.a)], editor.token)).status).toBe(204);
  expect(await orderOf(id)).toBe("b second secret a secret");
});

describe("the move of one entry", () => {
  const move = (id: number, body: object, as = runtime.token) =>
    runtime.ask("PUT", `/api/books/${id}/order/entry`, { as, body });
  const beside = (type: string, id: number | undefined) => ({ target_type: type, target_id: id });

  test("puts it beside another one, or at the end of a chapter", async () => {
    const { book: id, ...ids } = await book({ One: ["a", "b"], c: null, Two: ["d"] });
    expect((await move(id, { ...page(ids.c), place: "before", ...beside("page", ids.b) })).status).toBe(204);
    expect(await orderOf(id)).toBe("One[a c b] Two[d]");
    expect((await move(id, { ...page(ids.a), place: "inside", ...beside("chapter", ids.Two) })).status).toBe(204);
    expect(await orderOf(id)).toBe("One[c b] Two[d a]");
    expect((await move(id, { ...page(ids.b), place: "after", ...beside("chapter", ids.Two) })).status).toBe(204);
    expect((await move(id, { ...chapter(ids.Two), place: "before", ...beside("chapter", ids.One) })).status).toBe(204);
    expect(await orderOf(id)).toBe("Two[d a] One[c] b");
    expect((await move(id, { ...page(ids.b), place: "after", ...beside("page", ids.b) })).status).toBe(204);
    expect(await orderOf(id)).toBe("Two[d a] One[c] b");
  });

  test("is refused where the target is elsewhere meanwhile, and else goes where that is", async () => {
    const { book: id, ...ids } = await book({ One: ["a", "b"], c: null, Two: ["d"] });
    await move(id, { ...page(ids.b), place: "inside", ...beside("chapter", ids.Two) });
    const stale = { ...page(ids.c), place: "before", ...beside("page", ids.b) };
    const refused = await move(id, { ...stale, within: ids.One });
    expect([refused.status, refused.body.error.message]).toEqual([
      409,
      "Someone else moved “b” meanwhile. Nothing was changed.",
    ]);
    expect((await move(id, { ...stale, within: null })).status).toBe(409);
    expect(await orderOf(id)).toBe("One[a] c Two[d b]");
    expect((await move(id, { ...stale, within: ids.Two })).status).toBe(204);
    expect(await orderOf(id)).toBe("One[a] Two[d c b]");
  });

  test("two at the same time are both done", async () => {
    const { book: id, ...ids } = await book({ One: ["a", "b"], c: null, d: null, Two: [] });
    const moves = [
      move(id, { ...page(ids.c), place: "after", ...beside("page", ids.a) }),
      move(id, { ...page(ids.a), place: "inside", ...beside("chapter", ids.Two) }),
      move(id, { ...page(ids.d), place: "before", ...beside("chapter", ids.One) }),
    ];
    for (const { status } of await Promise.all(moves)) expect(status).toBe(204);
    expect(["d One[c b] Two[a]", "d One[b] Two[a c]"]).toContain(await orderOf(id));
  });

  test("refuses places that there are not", async () => {
    const { book: id, ...ids } = await book({ One: ["a"], Two: ["b"], c: null });
    const other = await book({ x: null });
    for (const [field, body] of [
      ["place", { ...chapter(ids.One), place: "inside", ...beside("chapter", ids.Two) }],
      ["place", { ...chapter(ids.One), place: "inside", ...beside("chapter", ids.One) }],
      ["place", { ...chapter(ids.One), place: "before", ...beside("page", ids.b) }],
      ["place", { ...page(ids.c), place: "inside", ...beside("page", ids.b) }],
      ["place", { ...page(ids.c), place: "under", ...beside("page", ids.b) }],
      ["target_id", { ...page(ids.c), place: "before", ...beside("page", other.x) }],
      ["id", { ...page(other.x), place: "before", ...beside("page", ids.b) }],
      ["type", { type: "book", id: 1, place: "before", ...beside("page", ids.b) }],
    ] as const) {
      const { status, body: answer } = await move(id, body);
      expect([status, Object.keys(answer.error.validation)]).toEqual([422, [field]]);
    }
    expect(await orderOf(id)).toBe("One[a] Two[b] c");
  });
});

describe("an order of several books", () => {
  /** The body of a book with what it held when it was seen. */
  const part = (id: number, items: unknown, seen?: unknown) => ({ id, items, ...(seen === undefined ? {} : { seen }) });
  const putAll = ([first, ...books]: ReturnType<typeof part>[], as = runtime.token) =>
    runtime.ask("PUT", `/api/books/${first?.id}/order`, { as, body: { ...first, id: undefined, books } });

  test("moves chapters with their pages, and pages into chapters of other books, each by its event", async () => {
    const { book: from, ...a } = await book({ One: ["a", "b"], c: null, Two: ["d"] });
    const { book: to, ...b } = await book({ Alpha: ["a", "x"], y: null });
    const seen = (await runtime.ask("GET", "/api/audit-log?count=1&sort=-id")).body.data[0].id;
    const moved = await putAll([
      part(from, [page(b.y), chapter(a.Two, [a.d, a.b])]),
      part(to, [chapter(a.One, [a.a]), chapter(b.Alpha, [b.x, a.c])]),
    ]);
    expect(moved.status).toBe(204);
    expect([await orderOf(from), await orderOf(to)]).toEqual(["y Two[d b]", "One[a] Alpha[a x c]"]);
    const { data } = (await runtime.ask("GET", `/api/audit-log?sort=id&filter[id:gt]=${seen}`)).body;
    expect(
      data.map(({ type, loggable_id }: { type: string; loggable_id: number }) => `${type} ${loggable_id}`),
    ).toEqual([
      `page_move ${a.b}`,
      `chapter_move ${a.One}`,
      ...[b.y, a.c].toSorted((one = 0, other = 0) => one - other).map((id) => `page_move ${id}`),
      ...[from, to].map((id) => `book_sort ${id}`),
    ]);
    // The page of the chapter gets a free slug in its new book, one that only moved between chapters keeps its own.
    const slugs = await Promise.all([a.a, a.b].map(async (id) => (await runtime.ask("GET", `/api/pages/${id}`)).body));
    expect(slugs.map(({ book_id, slug }) => [book_id, slug === "a" || slug === "b"])).toEqual([
      [to, false],
      [from, true],
    ]);
  });

  test("needs the permissions of moving each item and of sorting each book, or changes nothing in any", async () => {
    const { book: from, ...a } = await book({ One: ["a"], b: null });
    const { book: to, ...b } = await book({ x: null });
    const views = ["access-api", "book-view-all", "chapter-view-all", "page-view-all", "book-update-all"];
    const orders = [part(from, [page(a.b)]), part(to, [chapter(a.One), page(b.x)])];
    const chapters = ["chapter-update-all", "chapter-delete-all", "chapter-create-all"];
    for (const missing of chapters) {
      const { token } = await runtime.person(missing, [...views, ...chapters.filter((each) => each !== missing)]);
      const { status, body } = await putAll(orders, token);
      expect([status, body.error.message]).toEqual([403, "You do not have permission to move “One”."]);
    }
    const { token } = await runtime.person("mover", [...views, ...chapters]);
    const pageToo = await putAll([part(from, []), part(to, [page(b.x), page(a.b)])].toReversed(), token);
    expect([pageToo.status, pageToo.body.error.message]).toEqual([403, "You do not have permission to move “b”."]);
    await runtime.ask("PUT", `/api/content-permissions/book/${to}`, {
      body: { fallback_permissions: { inheriting: false, view: true, create: true, update: false, delete: false } },
    });
    expect((await putAll(orders, token)).status).toBe(403);
    await runtime.ask("PUT", `/api/content-permissions/book/${to}`, {
      body: { fallback_permissions: { inheriting: false, view: false, create: true, update: true, delete: false } },
    });
    expect((await putAll(orders, token)).status).toBe(404);
    expect([await orderOf(from), await orderOf(to)]).toEqual(["One[a] b", "x"]);
    await runtime.ask("PUT", `/api/content-permissions/book/${to}`, {
      body: { fallback_permissions: { inheriting: true } },
    });
    expect((await putAll(orders, token)).status).toBe(204);
    expect([await orderOf(from), await orderOf(to)]).toEqual(["b", "One[a] x"]);
  });

  test("leaves what others moved meanwhile where it is, and is refused where both moved the same", async () => {
    const { book: from, ...a } = await book({ One: ["a", "b"], c: null });
    const { book: to, ...b } = await book({ x: null, Two: [] });
    const { book: third } = await book({});
    const [seenFrom, seenTo] = [
      [chapter(a.One, [a.a, a.b]), page(a.c)],
      [page(b.x), chapter(b.Two, [])],
    ];
    await runtime.ask("PUT", `/api/pages/${a.b}`, { body: { book_id: third } });
    await runtime.ask("DELETE", `/api/pages/${b.x}`);
    const sorted = await putAll([
      part(from, [page(a.c), chapter(a.One, [a.b])], seenFrom),
      part(to, [page(b.x), chapter(b.Two, [a.a])], seenTo),
    ]);
    expect(sorted.status).toBe(204);
    expect([await orderOf(from), await orderOf(to)]).toEqual(["c One[]", "Two[a]"]);
    const seen = [[page(a.c), chapter(a.One, [])], [chapter(b.Two, [a.a])]];
    await runtime.ask("PUT", `/api/pages/${a.c}`, { body: { chapter_id: b.Two } });
    const both = await putAll([
      part(from, [chapter(a.One, [a.c])], seen[0]),
      part(to, [chapter(b.Two, []), page(a.a)], seen[1]),
    ]);
    expect([both.status, both.body.error.message]).toEqual([
      409,
      "Someone else moved “c” meanwhile. Nothing was changed.",
    ]);
    await runtime.ask("DELETE", `/api/chapters/${b.Two}`);
    const gone = await putAll([part(from, [chapter(a.One, [a.a])], seen[0]), part(to, [chapter(b.Two, [])], seen[1])]);
    expect([gone.status, gone.body.error.message]).toEqual([
      409,
      "Someone else changed these books meanwhile. Nothing was changed.",
    ]);
    expect([await orderOf(from), await orderOf(to)]).toEqual(["One[]", ""]);
  });

  test("is refused in another shape, fault by fault", async () => {
    const { book: from, ...a } = await book({ One: ["a"], c: null });
    const { book: to, ...b } = await book({ x: null });
    const { body: at, status } = await runtime.ask("PUT", `/api/books/${from}/order`, {
      body: {
        items: [page(a.c), page(a.c)],
        seen: [page(0)],
        books: [{ id: from, items: [] }, { id: to }, 7, { id: to, items: [page(a.c)], seen: "x" }],
      },
    });
    expect([status, Object.keys(at.error.validation).sort()]).toEqual([
      422,
      [
        "books.0.id",
        "books.1.items",
        "books.2.id",
        "books.2.items",
        "books.3.items.0",
        "books.3.seen",
        "items.1",
        "seen.0",
      ],
    ]);
    const foreign = await putAll([part(from, [page(a.c)]), part(to, [page(b.x), page(9_999_999)])]);
    expect(foreign.body.error.validation).toEqual({
      "books.0.items.1": ["The books.0.items.1 names what is not in this book."],
    });
    expect((await putAll([part(from, [page(a.c)]), part(9_999_999, [])])).status).toBe(404);
  });
});
