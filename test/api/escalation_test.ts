/**
 * For every route of the house: a user one permission short is refused, and the store is what it was. Then the same
 * request by a user who has them all is let in, which proves that the refusal came of the missing permission and of
 * nothing else. Routes come from the house itself, so one that is not in the table fails.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { digestOf } from "../support/digest.ts";
import { type Ask, bootHouse, type TestHouse } from "../support/house.ts";
import { KEYED, PERMITS, type PermitCase, PUBLIC } from "../support/permits.ts";
import { png } from "../support/pictures.ts";
import { portable, upload } from "../support/zips.ts";

let house: TestHouse;
let turn = 0;
beforeAll(async () => {
  house = await bootHouse();
});
afterAll(() => house.stop());

const make = async (path: string, body: unknown): Promise<number> =>
  (await house.ask("POST", path, { body })).body.id as number;

const pictured = (fields: object, file: string): FormData => {
  const parts = new FormData();
  for (const [name, value] of Object.entries(fields)) parts.set(name, String(value));
  parts.set(file, new File([png()], "dot.png", { type: "image/png" }));
  return parts;
};
const addPicture = async (page: Thing): Promise<{ id: number; url: string }> =>
  (await house.ask("POST", "/api/image-gallery", { parts: pictured({ type: "gallery", uploaded_to: page }, "image") }))
    .body;

/** What stands for a name in paths and bodies: made for this request, by the administrator. */
type Thing = number | string;
const THINGS: Readonly<Record<string, (made: (name: string) => Promise<Thing>) => Promise<Thing>>> = {
  shelf: () => make("/api/shelves", { name: "Shelf" }),
  book: () => make("/api/books", { name: "Book" }),
  other: () => make("/api/books", { name: "Other book" }),
  chapter: async (made) => make("/api/chapters", { name: "Chapter", book_id: await made("book") }),
  page: async (made) => make("/api/pages", { name: "Page", html: "<p>x</p>", book_id: await made("book") }),
  attachment: async (made) =>
    make("/api/attachments", { name: "Link", uploaded_to: await made("page"), link: "https://example.com" }),
  comment: async (made) => make("/api/comments", { page_id: await made("page"), html: "<p>x</p>" }),
  binned: async (made) => {
    const id = await made("book");
    await house.ask("DELETE", `/api/books/${id}`);
    return (await house.ask("GET", `/api/recycle-bin?filter[deletable_type]=book&filter[deletable_id]=${id}`)).body
      .data[0].id;
  },
  webhook: () => make("/api/webhooks", { name: "Hook", endpoint: "https://example.com", events: ["sort_rule_create"] }),
  hook: async (made) => made("webhook"),
  delivery: async (made) => {
    const hook = await made("hook");
    const [event] = await house.store.sql`insert into webhook_events (type, subject, payload, dispatched)
      values ('x', '', '{}', true) returning id`;
    const [row] = await house.store.sql`insert into webhook_deliveries (webhook_id, event_id, type, subject)
      values (${hook}, ${event?.id}, 'x', '') returning id`;
    return row?.id as number;
  },
  image: async (made) => (await addPicture(await made("page"))).id,
  url: async (made) => encodeURIComponent((await addPicture(await made("page"))).url),
  import: async () => (await upload(house, portable({ page: { name: "Packed", html: "x" } }))).body.id,
  role: () => make("/api/roles", { display_name: "A role" }),
  user: () => make("/api/users", { name: "Somebody", email: `somebody-${turn}@example.com` }),
  token: async (made) => make(`/api/users/${await made("user")}/tokens`, { name: "Token" }),
  session: async (made) => {
    const [row] = await house.store.sql`insert into sessions (user_id, hash, address, agent)
      values (${await made("user")}, ${`hash ${turn}`}, '', '') returning id`;
    return row?.id as number;
  },
  key: () => make("/api/v1/dashboard/keys", { token_name: "Key" }),
  host: () => make("/api/v1/dashboard/hosts", { friendly_name: "Host" }),
  turn: async () => turn,
};

/** The request with its names filled in. */
async function staged({ path, body, picture, archive }: PermitCase): Promise<{ path: string; sent: Ask }> {
  turn += 1;
  const made = new Map<string, Thing>();
  const thing = async (name: string): Promise<Thing> => {
    const known = made.get(name) ?? (await THINGS[name]?.(thing));
    if (known === undefined) throw new Error(`Cannot make "${name}": the table names it, the test does not know it`);
    made.set(name, known);
    return known;
  };
  let text = JSON.stringify({ path, body });
  for (const [, name = ""] of text.matchAll(/\{(\w+)\}/g)) await thing(name);
  text = text.replace(/"\{(\w+)\}"/g, (_, name: string) => String(made.get(name)));
  const filled = JSON.parse(text.replace(/\{(\w+)\}/g, (_, name: string) => String(made.get(name))));
  if (archive !== undefined) {
    const parts = new FormData();
    parts.set(archive, new File([portable({ page: { name: "Packed" } })], "content.zip"));
    return { path: filled.path, sent: { parts } };
  }
  if (picture !== undefined) return { path: filled.path, sent: { parts: pictured(filled.body, picture) } };
  return { path: filled.path, sent: "body" in filled ? { body: filled.body } : {} };
}

async function refused(method: string, row: PermitCase, missing: string): Promise<void> {
  const held = ["access-api", ...row.needs].filter((name) => name !== missing);
  const request = await staged(row);
  const { token } = await house.person("short", held);
  const before = await digestOf(house.store);
  const { status } = await house.ask(method, request.path, { as: token, ...request.sent });
  const told = `${method} ${row.path} without ${missing}: `;
  const others = row.refusedWith === undefined ? "40[34]" : `(40[34]|${row.refusedWith})`;
  expect(told + status).toMatch(missing === "access-api" ? /: 403$/ : new RegExp(`: ${others}$`));
  expect(told + (await digestOf(house.store))).toBe(told + before);
}

async function letIn(method: string, row: PermitCase): Promise<void> {
  const request = await staged(row);
  const { token } = await house.person("full", ["access-api", ...row.needs]);
  const { status } = await house.ask(method, request.path, { as: token, ...request.sent });
  expect(`${method} ${row.path} with everything: ${status}`).toMatch(/: (20[0124]|302)$/);
}

/** Screens ask these routes on their reader's behalf and hold no rights of their own; they have a test of their own. */
const served = () => house.house.gates.routes().filter(({ detail }) => detail["x-screen"] === undefined);
const routes = () => served().map(({ method, path }) => `${method} ${path}`);

test("the table knows every route of the house, and no other", () => {
  expect(routes().filter((route) => !(route in PERMITS) && !(route in PUBLIC) && !(route in KEYED))).toEqual([]);
  const known = new Set(routes());
  expect([PERMITS, PUBLIC, KEYED].flatMap(Object.keys).filter((route) => !known.has(route))).toEqual([]);
});

test("routes that ask nobody say so, and no other does", () => {
  const open = served().filter(({ permit }) => permit === "public");
  expect(open.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(Object.keys(PUBLIC).sort());
});

test("routes with credentials of their own let in no user, not even the administrator", async () => {
  const before = await digestOf(house.store);
  for (const route of Object.keys(KEYED)) {
    const [method = "", path = ""] = route.split(" ");
    const { status } = await house.ask(method, path, method === "GET" ? {} : { body: {} });
    expect(`${route}: ${status}`).toBe(`${route}: 401`);
  }
  expect(await digestOf(house.store)).toBe(before);
});

for (const [route, rows] of Object.entries(PERMITS)) {
  test(`${route} lets in who may, and nobody a permission short`, async () => {
    const [method = ""] = route.split(" ");
    for (const row of rows) {
      for (const missing of ["access-api", ...row.needs]) await refused(method, row, missing);
      await letIn(method, row);
    }
  });
}

test("the digest of the store can tell a change", async () => {
  const before = await digestOf(house.store);
  await house.store.sql`update users set language = 'fr' where id = 1`;
  expect(await digestOf(house.store)).not.toBe(before);
});
