/**
 * Listings whose rows come as the text of JSON answer the same bytes as those whose rows are read. Within a transaction the columns of a
 * listing are not described, so routes that are called there before all others read rows; after that the same paths are asked over HTTP.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { ApiError, definePlugin, type EventTransaction } from "lectern/core";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

setDefaultTimeout(120_000);

const TEXTS = [
  `"quotes", 'apostrophes', \\ / \\u0041 <b>&amp;</b>`,
  "emoji 🧑‍🚀 é ﬀ שלום \u2028 \u2029 \ufeff \u007f",
  [...Array(31).keys()].map((code) => String.fromCharCode(code + 1)).join(""),
  "null",
  "long ".repeat(5_000),
  "",
];
const TIMES = [
  ...["2026-01-05 09:30:00.123456+00", "2026-12-31 23:59:59.999999+00", "1969-12-31 23:59:59.5+00"],
  ...["0001-01-01 00:00:00+00", "9999-12-31 23:59:59+00", "12345-06-07 08:09:10+00", "0044-03-15 12:00:00+00 BC"],
];
/** Columns of texts in the rows of listings, by table; a slug has to be unique. */
const COLUMNS = {
  ...{ books: ["name", "description"], bookshelves: ["name", "description"], chapters: ["name", "description"] },
  ...{ pages: ["name", "editor"], attachments: ["name", "extension"], comments: ["content_ref"], images: ["name"] },
  ...{ page_revisions: ["name", "summary"], activities: ["detail"], tags: ["value"], webhooks: ["last_error"] },
};
const EACH = 12;

/** The paths of all listings. */
const LISTINGS = {
  ...{ books: "/api/books", shelves: "/api/shelves", chapters: "/api/chapters", pages: "/api/pages" },
  ...{ attachments: "/api/attachments", comments: "/api/comments", images: "/api/image-gallery", users: "/api/users" },
  ...{ deletions: "/api/recycle-bin", activities: "/api/audit-log", jobs: "/api/system/jobs", imports: "/api/imports" },
  ...{ tags: "/api/tags/names", "tag values": "/api/tags/values-for-name?name=team", webhooks: "/api/webhooks" },
  ...{ revisions: "/api/pages/1/revisions", deliveries: "/api/webhooks/1/deliveries", tokens: "/api/users/1/tokens" },
  ...{ sessions: "/api/users/1/sessions", hosts: "/api/v1/dashboard/hosts", keys: "/api/v1/dashboard/keys" },
  ...{ roles: "/api/roles", transfers: "/api/user-transfers", invites: "/api/user-invites" },
};

let inTransaction: ((tx: EventTransaction) => Promise<void>) | undefined;
const caller = definePlugin({
  name: "caller",
  setup({ on }) {
    // Before the shelf is there.
    on("bookshelf_create", {
      async filter(draft, tx) {
        await inTransaction?.(tx);
        return draft;
      },
    });
  },
});
let runtime: TestRuntime;

beforeAll(async () => {
  runtime = await bootTestRuntime({ extra: [caller] });
  await fill(runtime);
});
afterAll(() => runtime.stop());

async function fill({ ask, store }: TestRuntime): Promise<void> {
  const made = async (path: string, body: object) => {
    const answer = await ask("POST", path, { body });
    if (answer.status >= 300) throw new Error(`POST ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body.id as number;
  };
  for (let n = 0; n < EACH; n++) {
    const book = await made("/api/books", { name: `Book ${n}`, tags: [{ name: "team", value: `${n}` }] });
    await made("/api/shelves", { name: `Shelf ${n}`, books: [book] });
    await made("/api/chapters", { book_id: book, name: `Chapter ${n}` });
    const page = await made("/api/pages", { book_id: book, name: `Page ${n}`, html: "<p>x</p>" });
    await ask("PUT", `/api/pages/${page}`, { body: { html: `<p>${n}</p>` } });
    await made("/api/comments", { page_id: page, html: "<p>x</p>" });
    await made("/api/attachments", { uploaded_to: page, name: `File ${n}`, link: "https://example.com" });
    await ask("DELETE", `/api/books/${await made("/api/books", { name: `Gone ${n}` })}`);
  }
  await made("/api/webhooks", { name: "Hook", endpoint: "https://example.com/hook", events: ["page_create"] });
  for (const [table, columns] of Object.entries(COLUMNS))
    for (const [at, text] of TEXTS.entries())
      for (const column of columns)
        await store.sql`update ${store.sql(table)} set ${store.sql(column)} = ${text}
          where ${store.sql(table === "tags" ? "item_id" : "id")} % ${TEXTS.length} = ${at}`;
  for (const table of ["books", "bookshelves", "chapters", "pages", "attachments", "comments"])
    for (const [at, time] of TIMES.entries())
      await store.sql`update ${store.sql(table)} set created_at = ${time}, updated_at = ${time}, updated_by = null
        where id % ${TIMES.length + 1} = ${at}`;
}

/** Those that read rows, which have JSON, lists or dates. */
const ROWS = ["activities", "webhooks", "revisions", "tokens", "keys", "transfers", "invites"];

/** Without the times at which tokens were used last, which are written later. */
function withoutUses(body: string): string {
  return body.replaceAll(/"last_used_at":"[^"]*"/g, '"last_used_at":""');
}

const QUERIES = ["", "count=3&offset=2", "sort=-created_at&count=5", "filter[id:gt]=2&sort=name", "offset=1000"];
const asked = Object.entries(LISTINGS).flatMap(([name, path]) =>
  QUERIES.map((query) => ({ name, path: `${path}${path.includes("?") ? "&" : "?"}${query}` })),
);

test("every listing of the server is compared here", () => {
  const listed = runtime.runtime.http
    .routes()
    .filter(({ response, method }) => method === "GET" && response?.[200]?.["x-listing"] === true)
    .map(({ path }) => path);
  const known = Object.values(LISTINGS).map((path) => path.replace(/\?.*/, "").replace("/1/", "/:id/"));
  expect(listed.toSorted()).toEqual(known.toSorted());
});

test("rows as text are the bytes of rows that are read", async () => {
  const read = new Map<string, string>();
  inTransaction = async (tx) => {
    for (const { path } of asked) {
      const answer = await tx.callAs(tx.viewer, "GET", path);
      expect([path, answer.status]).toEqual([path, 200]);
      read.set(path, withoutUses(await answer.text()));
    }
    throw new ApiError(409, "Nothing is kept of it.");
  };
  expect((await runtime.ask("POST", "/api/shelves", { body: { name: "The last one" } })).status).toBe(409);
  inTransaction = undefined;

  let texts = 0;
  runtime.store.observe(({ text }) => {
    if (/^select string_agg\(.* as data, /s.test(text)) texts += 1;
  });
  const asText = new Set<string>();
  for (const { name, path } of asked) {
    texts = 0;
    const request = new Request(new URL(path, runtime.baseUrl).href, {
      headers: { authorization: `Token ${runtime.token}` },
    });
    const answer = await runtime.runtime.http.handle(request, "127.0.0.1");
    expect([path, withoutUses(await answer.text())]).toEqual([path, read.get(path) ?? ""]);
    if (texts > 0) asText.add(name);
  }
  expect(Object.keys(LISTINGS).filter((name) => !asText.has(name))).toEqual(ROWS);
});
