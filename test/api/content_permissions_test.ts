/**
 * Overrides over the API: the 37 rows of the truth table (platform 2.4) as reads and listings alike, then what the two
 * routes answer and refuse, and what becomes of lists when items move, go to the bin or vanish and roles are deleted.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { sql } from "lectern/core";
import { rows } from "lectern/db";
import { sweep } from "../../plugins/content_permissions/sweep.ts";
import { bootHouse, type TestHouse } from "../support/house.ts";
import { planOf, statementsOf } from "../support/plans.ts";

let house: TestHouse;
beforeAll(async () => {
  house = await bootHouse();
}, 60_000);
afterAll(() => house.stop());

const ALL = { view: true, create: true, update: true, delete: true };
const NOTHING = { view: false, create: false, update: false, delete: false };
const DENIED = { error: { message: "You do not have permission to perform the requested action.", code: 403 } };
const INHERITING = { inheriting: true, view: null, create: null, update: null, delete: null };

/** Makes something and answers its id. */
async function made(path: string, body: Record<string, unknown>): Promise<number> {
  const answer = await house.ask("POST", `/api/${path}`, { body });
  expect([path, answer.status]).toEqual([path, 200]);
  return answer.body.id;
}

async function permit(kind: string, id: number, body: unknown, as = house.token) {
  return house.ask("PUT", `/api/content-permissions/${kind}/${id}`, { body, as });
}

async function tree(name: string): Promise<{ book: number; chapter: number; page: number }> {
  const book = await made("books", { name });
  const chapter = await made("chapters", { name, book_id: book });
  return { book, chapter, page: await made("pages", { name, chapter_id: chapter, html: "<p>x</p>" }) };
}

async function aclOf(table: string, id: number): Promise<number | undefined> {
  const [row] = await rows<{ acl_id: number }>(house.db, sql`select acl_id from ${sql.table(table)} where id = ${id}`);
  return row?.acl_id;
}

/** What role A and, after a slash, B hold for page-view; owner; entries of page, chapter, book; whether it is seen. */
const TRUTH = `
  T01 all        no  · · · allow
  T02 none       no  · · · deny
  T03 own        yes · · · allow
  T04 own        no  · · · deny
  T05 all/none   no  · · · allow
  T06 own/none   yes · · · allow
  T07 none       no  A+F- · · allow
  T08 all        no  A-F+ · · deny
  T09 none/none  no  A+B-F- · · allow
  T10 none       no  · A+F- · allow
  T11 all        no  · A-F+ · deny
  T12 none/none  no  · A-B+F- · allow
  T13 none       no  A+ A-F- · allow
  T14 all        no  A- A+F+ · deny
  T15 none/none  no  A- B+F- · allow
  T16 none/none  no  A+ B-F- · allow
  T17 none       no  A+ · · allow
  T18 all        no  A- · · deny
  T19 none       no  · A+ · allow
  T20 all        no  · A- · deny
  T21 own        yes · A- · deny
  T22 all/none   no  B- · · deny
  T23 own/none   yes B- · · deny
  T24 all/none   no  · B- · deny
  T25 none/none  no  A+F- · · allow
  T26 all/all    no  A-F+ · · deny
  T27 none       no  F- A+F- · deny
  T28 none       no  · F- A+F- deny
  T29 all        yes F- · · deny
  T30 none       no  F+ · · allow
  T31 all        no  · · F- deny
  T32 none       no  · A+ F- allow
  T33 none/none  no  · A- B+F- allow
  T34 none/none  no  · A-F+ B+ deny
  T35 none       no  A+ F- F- allow
  T36 admin      no  A-F- · · allow
`;

for (const row of TRUTH.trim().split("\n")) {
  const [name = "", roles = "", owns, ...rest] = row.trim().split(/\s+/);
  const answer = rest.pop();
  test(`${row.trim()}: read and listed alike`, async () => {
    const { id, token, ids } = await holder(name, roles.split("/"));
    const items = await tree(name);
    for (const [place, kind] of (["page", "chapter", "book"] as const).entries()) {
      const body = overridesOf(rest[place] ?? "·", ids);
      expect(
        (await permit(kind, items[kind], { ...body, ...(kind === "page" && owns === "yes" && { owner_id: id }) }))
          .status,
      ).toBe(200);
    }
    const read = await house.ask("GET", `/api/pages/${items.page}`, { as: token });
    expect(read.status).toBe(answer === "allow" ? 200 : 404);
    const list = await house.ask("GET", `/api/pages?filter[id]=${items.page}`, { as: token });
    expect([list.body.total, list.body.data.length]).toEqual(answer === "allow" ? [1, 1] : [0, 0]);
  });
}

test("T37: overrides of a shelf do not reach its books", async () => {
  const { token, ids } = await holder("T37", ["none"]);
  const { book } = await tree("T37");
  const shelf = await made("shelves", { name: "T37", books: [book] });
  await permit("bookshelf", shelf, overridesOf("A+", ids));
  expect((await house.ask("GET", `/api/shelves/${shelf}`, { as: token })).body.books).toEqual([]);
  expect((await house.ask("GET", `/api/books/${book}`, { as: token })).status).toBe(404);
  expect((await house.ask("GET", `/api/books?filter[id]=${book}`, { as: token })).body.total).toBe(0);
});

/** Somebody with roles A and perhaps B, which grant to view pages: all, own or none of them. */
async function holder(name: string, grants: readonly string[]) {
  const { id, token, role } = await house.person(name, ["access-api"]);
  const ids: number[] = [];
  for (const grant of grants) {
    const permissions = ["all", "own"].includes(grant) ? [`page-view-${grant}`] : [];
    ids.push(grant === "admin" ? 1 : await made("roles", { display_name: `${name} ${grant}`, permissions }));
  }
  await house.ask("PUT", `/api/users/${id}`, { body: { roles: [role, ...ids] } });
  return { id, token, ids };
}

function overridesOf(text: string, [A, B]: readonly number[]) {
  const parts = [...text.matchAll(/([ABF])([+-])/g)].map(([, who, sign]) => ({
    who,
    flags: sign === "+" ? ALL : NOTHING,
  }));
  const fallback = parts.find(({ who }) => who === "F");
  return {
    role_permissions: parts
      .filter(({ who }) => who !== "F")
      .map(({ who, flags }) => ({ role_id: who === "A" ? A : B, ...flags })),
    ...(fallback && { fallback_permissions: { inheriting: false, ...fallback.flags } }),
  };
}

test("an item without overrides shows its owner and that it inherits", async () => {
  const { book } = await tree("Plain");
  const { status, body } = await house.ask("GET", `/api/content-permissions/book/${book}`);
  expect([status, body]).toEqual([
    200,
    { owner: { id: 1, name: "Admin", slug: "admin" }, role_permissions: [], fallback_permissions: INHERITING },
  ]);
});

test("what a read answers may be sent back as it is", async () => {
  const { page } = await tree("Round");
  for (const fallback of [{ inheriting: false, ...ALL }, null]) {
    await permit("page", page, {
      role_permissions: [{ role_id: 3, ...ALL, delete: false }],
      fallback_permissions: fallback,
    });
    const { body } = await house.ask("GET", `/api/content-permissions/page/${page}`);
    const again = await permit("page", page, body);
    expect([again.status, again.body]).toEqual([200, body]);
  }
});

test("entries keep their order, and of two for one role the last counts", async () => {
  const { page } = await tree("Order");
  const sent = [3, 2, 3].map((role_id, n) => ({ role_id, ...(n === 2 ? ALL : NOTHING) }));
  const { body } = await permit("page", page, { role_permissions: sent });
  expect(body.role_permissions).toEqual([
    { role_id: 3, ...ALL, role: { id: 3, display_name: "Viewer" } },
    { role_id: 2, ...NOTHING, role: { id: 2, display_name: "Editor" } },
  ]);
});

test("an empty fallback, or null, means inheriting; only another owner moves the time of the last change", async () => {
  const { page } = await tree("Time");
  const time = async () => (await house.ask("GET", `/api/pages/${page}`)).body.updated_at;
  const before = await time();
  for (const empty of [{}, [], null, { inheriting: true, view: null }]) {
    await permit("page", page, { fallback_permissions: { inheriting: false, ...ALL } });
    const { body } = await permit("page", page, { fallback_permissions: empty });
    expect([empty, body.fallback_permissions]).toEqual([empty, INHERITING]);
  }
  await permit("page", page, { owner_id: 1 });
  await permit("page", page, { owner_id: 99_999_999 });
  expect(await time()).toBe(before);
  await permit("page", page, { owner_id: 2 });
  expect(await time()).not.toBe(before);
});

test("type, item, right and body are asked in this order", async () => {
  const { page } = await tree("Asked");
  const reader = await house.person("reader", ["access-api", "page-view-all"]);
  const blind = await house.person("blind", ["access-api", "restrictions-manage-all"]);
  const bad = { role_permissions: "bad" };
  const unseen = [
    ["shelf", page],
    ["pages", page],
    ["user", 1],
    ["page", 99_999_999],
    ["page", "abc"],
    ["page", "0"],
    ["page", "99999999999"],
  ] as const;
  for (const [kind, id] of unseen) {
    for (const method of ["GET", "PUT"]) {
      const answer = await house.ask(
        method,
        `/api/content-permissions/${kind}/${id}`,
        method === "PUT" ? { body: bad } : {},
      );
      expect([kind, id, answer.status, answer.body.error.code]).toEqual([kind, id, 404, 404]);
    }
  }
  expect((await permit("page", page, bad, blind.token)).status).toBe(404);
  const refused = await permit("page", page, bad, reader.token);
  expect([refused.status, refused.body]).toEqual([403, DENIED]);
  expect((await permit("page", page, bad)).status).toBe(422);
});

test("odd bodies are refused, never an error of ours, and change nothing", async () => {
  const { page } = await tree("Odd");
  const entry = { role_id: 2, ...ALL };
  const bodies = [
    { owner_id: "me" },
    { owner_id: null },
    { owner_id: 1e12 },
    { role_permissions: null },
    { role_permissions: [5] },
    { role_permissions: [{ ...entry, role_id: 0 }] },
    { role_permissions: [{ ...entry, role_id: -1 }] },
    { role_permissions: [{ ...entry, role_id: 1e12 }] },
    { role_permissions: [{ ...entry, view: "yes" }] },
    { role_permissions: [{ ...entry, view: null }] },
    { role_permissions: [[entry]] },
    { fallback_permissions: "all" },
    { fallback_permissions: 5 },
    { fallback_permissions: [5] },
    { fallback_permissions: { view: true } },
    { fallback_permissions: { inheriting: null, ...ALL } },
    { fallback_permissions: { inheriting: false, ...ALL, view: null } },
    { fallback_permissions: { inheriting: [true] } },
  ];
  for (const body of bodies) expect([body, (await permit("page", page, body)).status]).toEqual([body, 422]);
  const { body } = await house.ask("GET", `/api/content-permissions/page/${page}`);
  expect([body.role_permissions, body.fallback_permissions]).toEqual([[], INHERITING]);
});

test("new and moved items take the overrides of where they are, deleted ones too", async () => {
  const open = await tree("Open");
  const gated = await tree("Gated");
  await permit("book", gated.book, { fallback_permissions: { inheriting: false, ...NOTHING } });
  const list = await aclOf("books", gated.book);
  expect(list).toBeGreaterThan(0);
  expect([await aclOf("chapters", gated.chapter), await aclOf("pages", gated.page)]).toEqual([list, list]);
  const fresh = await made("pages", { name: "Fresh", book_id: gated.book, html: "<p>x</p>" });
  expect(await aclOf("pages", fresh)).toBe(list);
  await house.ask("PUT", `/api/pages/${fresh}`, { body: { chapter_id: open.chapter } });
  expect(await aclOf("pages", fresh)).toBe(0);
  await house.ask("DELETE", `/api/pages/${fresh}`);
  await house.ask("PUT", `/api/chapters/${open.chapter}`, { body: { book_id: gated.book } });
  expect([await aclOf("chapters", open.chapter), await aclOf("pages", open.page), await aclOf("pages", fresh)]).toEqual(
    [list, list, list],
  );
  await permit("book", gated.book, { fallback_permissions: null });
  expect([await aclOf("pages", fresh), await aclOf("pages", gated.page)]).toEqual([0, 0]);
});

test("whoever adds to a book while its overrides change gets the list that came of it", async () => {
  const { book, chapter } = await tree("Busy");
  for (let round = 0; round < 4; round++) {
    const fallback = round % 2 === 0 ? { inheriting: false, ...ALL, delete: false } : null;
    const place = (n: number) => (n % 2 === 0 ? { book_id: book } : { chapter_id: chapter });
    const [changed, ...answers] = await Promise.all([
      permit("book", book, { fallback_permissions: fallback }),
      ...Array.from({ length: 8 }, (_, n) =>
        house.ask("POST", "/api/pages", { body: { ...place(n), name: `${round} ${n}`, html: "<p>x</p>" } }),
      ),
      permit("chapter", chapter, { role_permissions: round < 2 ? [{ role_id: 2, ...ALL }] : [] }),
    ]);
    expect([changed.status, ...answers.map(({ status }) => status)]).toEqual(Array(10).fill(200));
    const [lists] = await rows<{ direct: number[]; inside: number[] }>(
      house.db,
      sql`select array_agg(distinct acl_id) filter (where chapter_id is null) as direct,
        array_agg(distinct acl_id) filter (where chapter_id is not null) as inside from pages where book_id = ${book}`,
    );
    expect(lists).toEqual({
      direct: [(await aclOf("books", book)) as number],
      inside: [(await aclOf("chapters", chapter)) as number],
    });
  }
});

test("a deleted role takes its entries along, from lists too", async () => {
  const { page } = await tree("Roles");
  const gone = await made("roles", { display_name: "Going" });
  await permit("page", page, {
    role_permissions: [
      { role_id: gone, ...NOTHING },
      { role_id: 3, ...ALL },
    ],
  });
  const list = await aclOf("pages", page);
  await house.ask("DELETE", `/api/roles/${gone}`);
  const shown = (await house.ask("GET", `/api/content-permissions/page/${page}`)).body;
  expect(shown.role_permissions.map(({ role_id }: { role_id: number }) => role_id)).toEqual([3]);
  const [left] = await rows<object>(house.db, sql`select digest, view_allow, view_deny from acl where id = ${list}`);
  expect(left).toEqual({ digest: null, view_allow: [3], view_deny: [] });
});

test("lists and entries that nothing needs are swept away, and no others", async () => {
  const { page } = await tree("Swept");
  const other = await tree("Kept");
  await permit("page", page, { role_permissions: [{ role_id: 2, ...ALL, update: false }] });
  const used = await aclOf("pages", page);
  await permit("page", other.page, { role_permissions: [{ role_id: 2, ...ALL, create: false, update: false }] });
  const unused = await aclOf("pages", other.page);
  await rows(house.db, sql`delete from pages where id = ${other.page}`);
  const [kinds, there] = [
    house.contexts.get("access")?.slot("content") ?? [],
    async () =>
      (await rows<{ id: number }>(house.db, sql`select id from acl where id in (${used}, ${unused})`)).map(
        ({ id }) => id,
      ),
  ];
  await sweep(house.db, kinds);
  expect(await there()).toEqual([used as number, unused as number]);
  await rows(house.db, sql`update acl set touched_at = now() - interval '2 hours'`);
  await sweep(house.db, kinds);
  expect(await there()).toEqual([used as number]);
  expect(
    await rows(house.db, sql`select 1 from entity_permissions where kind = 'page' and item_id = ${other.page}`),
  ).toEqual([]);
  expect(
    await rows(house.db, sql`select 1 from entity_permissions where kind = 'page' and item_id = ${page}`),
  ).toHaveLength(1);
});

test("counts are right however items are written, and are taken anew where nobody kept them", async () => {
  const counted = () =>
    rows(
      house.db,
      sql`select kind, acl_id, sum(n)::bigint as n, sum(held)::bigint as held from acl_count
    group by kind, acl_id having sum(held) <> 0 order by kind, acl_id`,
    );
  const live = () =>
    rows(
      house.db,
      sql`select 'page' as kind, acl_id, count(*) filter (where deleted_at is null and not draft) as n,
      count(*) as held from pages group by acl_id
    union all select 'book', acl_id, count(*) filter (where deleted_at is null), count(*) from books group by acl_id
    union all select 'chapter', acl_id, count(*) filter (where deleted_at is null), count(*) from chapters group by acl_id
    union all select 'bookshelf', acl_id, count(*) filter (where deleted_at is null), count(*) from bookshelves group by acl_id
    order by kind, acl_id`,
    );
  expect(await counted()).toEqual(await live());
  await rows(
    house.db,
    sql`update pages set draft = not draft, deleted_at = case when id % 3 = 0 then now() end where id % 2 = 0`,
  );
  await rows(house.db, sql`delete from pages where id % 5 = 0`);
  expect(await counted()).toEqual(await live());
  const second = await house.ask("GET", "/api/pages?count=1");
  const [seen] = await rows<{ n: number }>(
    house.db,
    sql`select count(*) as n from pages where deleted_at is null and (not draft or owned_by = 1)`,
  );
  expect(second.body.total).toBe(seen?.n as number);
});

test("a listing walks the index of its order and probes lists, and its total counts no pages", async () => {
  const { book } = await tree("Planned");
  await rows(
    house.db,
    sql`insert into pages (book_id, name, slug, html, markdown, text, priority, editor, owned_by)
    select ${book}, 'Page ' || n, 'planned-' || n, '', '', '', n % 9, 'wysiwyg', 1 from generate_series(1, 20000) n`,
  );
  await permit("book", book, { role_permissions: [{ role_id: 3, ...ALL }] });
  await rows(house.db, sql`vacuum analyze pages`);
  const people = [
    await house.person("all", ["access-api", "page-view-all"]),
    await house.person("own", ["access-api", "page-view-own"]),
    await house.person("none", ["access-api"]),
  ];
  for (const { id, token } of people) {
    await house.ask("PUT", `/api/users/${id}`, { body: { roles: [3, ...(await rolesOf(id))] } });
    for (const sort of [
      "id",
      "name",
      "-slug",
      "priority",
      "-updated_at",
      "created_at",
      "chapter_id",
      "-owned_by",
      "draft",
    ]) {
      const sent = await statementsOf(house, () => house.ask("GET", `/api/pages?count=50&sort=${sort}`, { as: token }));
      const [data, total] = sent.filter(({ text }) => text.includes("pages"));
      const plan = data ? await planOf(house, data) : "";
      expect([sort, plan]).toEqual([sort, expect.stringMatching(/Index Only Scan (Backward )?using \w+ on pages/)]);
      expect([sort, plan]).toEqual([sort, expect.not.stringMatching(/Seq Scan on pages|Sort \(actual rows=\d{4}/)]);
      expect([sort, total ? await planOf(house, total) : ""]).toEqual([
        sort,
        expect.not.stringMatching(/ on pages.*rows=\d{3}/),
      ]);
    }
  }
});

async function rolesOf(user: number): Promise<number[]> {
  return (await house.ask("GET", `/api/users/${user}`)).body.roles.map(({ id }: { id: number }) => id);
}
