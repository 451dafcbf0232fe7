/**
 * Screens that are kept: they are what a server without a cache shows, for readers of different roles and languages, from the first
 * request after each change on; what is drawn is drawn once for all readers whom it is the same for; what says nothing of what it follows
 * from is drawn at each request, and nonces, notices and schemes are of the request.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { type AnyPlugin, definePlugin, html, sql } from "lectern/core";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

setDefaultTimeout(180_000);

const CONTENT = '<h2 id="a">Call</h2><p style="color: red">the DBA</p><h2 id="b">Wait</h2><h2 id="c">Drink</h2>';
const VIEWS = ["page-view-all", "book-view-all", "chapter-view-all"];
const PATHS = [
  "/books/runbooks",
  "/books/runbooks/chapter/disks",
  "/books/runbooks/page/failover",
  "/books/runbooks/page/gone",
];

/** Drawings of the parts of the plugin, by place. */
const drawn = { declared: 0, undeclared: 0, stars: 0, books: 0 };

/** Parts that say what they follow from, and parts that do not. */
const stars: AnyPlugin = definePlugin({
  name: "stars",
  grants: { write: ["stars"] },
  migrations: {
    async "0001_init"(db) {
      await sql`create table stars (page_id integer not null, stars integer not null)`.execute(db);
    },
  },
  setup({ app, contribute, db }) {
    contribute("screen_part", {
      at: "page/below",
      dependsOn: [{ table: "stars", column: "page_id" }],
      async draw(page, { ui }) {
        drawn.stars += 1;
        const { rows } = await sql<{ sum: number }>`select coalesce(sum(stars), 0)::integer as sum from stars
          where page_id = ${page.id}`.execute(db);
        return html`<p class="stars">${ui.t("Page")} ${rows[0]?.sum}</p>`;
      },
    });
    contribute("screen_part", {
      at: "reading/page/after",
      dependsOn: [],
      draw({ page }, ui) {
        drawn.declared += 1;
        return html`<p class="name">${page.name} ${ui.language}</p>`;
      },
    });
    contribute("screen_part", {
      at: "book/below",
      dependsOn: [],
      draw() {
        drawn.books += 1;
        return html`<hr>`;
      },
    });
    contribute("screen_part", {
      at: "page/aside",
      draw(page, { request, viewer }) {
        drawn.undeclared += 1;
        return html`<p class="own">${page.name} ${viewer.name} ${request.headers.get("x-mood") ?? "calm"}</p>`;
      },
    });
    // As a theme's views are contributed.
    contribute("view_replacement", {
      name: "parts/toolbar",
      draw: (ui) => (data) => html`<i>${ui.viewer.name}</i>${ui.next(data)}`,
    });
    contribute("view_replacement", {
      name: "reading/comments",
      dependsOn: [],
      draw:
        ({ next, t }) =>
        (data) =>
          html`<b>${t("Comments")}</b>${next(data)}`,
    });
    contribute("view_replacement", {
      name: "layout/header",
      draw:
        ({ next, viewer }) =>
        (frame: never) => {
          const { notice, title } = frame as { notice: string; title: string };
          return html`<div>${title} ${notice} ${viewer.name}</div>${next(frame)}`;
        },
    });
    app.post(
      "/stars/:id",
      async ({ params }) => {
        await sql`insert into stars values (${Number(params.id)}, 1)`.execute(db);
        return {};
      },
      { permit: "access-api" },
    );
  },
});

declare module "lectern/db" {
  interface Tables {
    stars: { page_id: number; stars: number };
  }
}

interface Reader {
  readonly headers: Record<string, string>;
  readonly id: number;
  readonly role: number;
}

let kept: TestRuntime;
let plain: TestRuntime;
let book = 0;
let page = 0;
let readers: Record<string, Reader>;

const signedIn = async (email: string, password: string) => {
  const { headers } = await kept.ask("POST", "/api/session", { as: null, body: { email, password } });
  return headers.get("set-cookie")?.split(";")[0] ?? "";
};
const made = async (path: string, body: object) => (await kept.ask("POST", `/api/${path}`, { body })).body.id as number;

beforeAll(async () => {
  kept = await bootTestRuntime({
    extra: [stars],
    env: { APP_PUBLIC: "true" },
  });
  plain = await bootTestRuntime({
    beside: kept,
    extra: [stars],
    env: { APP_PUBLIC: "true", ANSWER_CACHE_BYTES: "0" },
  });
  await kept.runtime.start();
  book = await made("books", { name: "Runbooks" });
  const chapter = await made("chapters", { name: "Disks", book_id: book });
  page = await made("pages", { name: "Failover", chapter_id: chapter, html: CONTENT });
  await made("pages", { name: "Gone", book_id: book, html: "<p>Gone</p>" });
  await made("comments", { page_id: page, html: "<p>First</p>" });
  const person = async (name: string, permissions: readonly string[], language?: string): Promise<Reader> => {
    const { id, role } = await kept.person(name, permissions);
    const email = `${name}@kept.example.com`;
    await kept.ask("PUT", `/api/users/${id}`, { body: { email, password: "long enough" } });
    const cookie = await signedIn(email, "long enough");
    return { id, role, headers: { cookie, ...(language === undefined ? {} : { "accept-language": language }) } };
  };
  const own = ["page-update-own", "book-update-own", "comment-update-own", "comment-create-all", "content-export"];
  readers = {
    admin: { id: 1, role: 1, headers: { cookie: await signedIn("admin@example.com", "correct horse battery") } },
    author: await person("author", ["access-api", ...VIEWS, ...own]),
    german: await person("german", ["access-api", ...VIEWS], "de"),
    nobody: { id: 0, role: 0, headers: {} },
  };
});
afterAll(async () => {
  await plain.stop();
  await kept.stop();
});

async function shown({ runtime }: TestRuntime, path: string, headers: Record<string, string>) {
  const request = new Request(`http://localhost${path}`, { headers: { accept: "text/html", ...headers } });
  const response = await runtime.http.handle(request, "127.0.0.1");
  const text = await response.text();
  const found = [...response.headers].filter(([name]) => name !== "x-request-id").sort();
  return {
    status: response.status,
    text,
    headers: found,
    nonce: /nonce-([\w-]+)/.exec(JSON.stringify(found))?.[1] ?? "",
  };
}

const withoutNonce = ({ status, text, headers, nonce }: Awaited<ReturnType<typeof shown>>) => {
  const bare = (each: string) => (nonce === "" ? each : each.replaceAll(nonce, "nonce"));
  return { status, text: bare(text), headers: bare(JSON.stringify(headers)) };
};

/** The screens are those of the server without a cache: the first, and the next one, which is kept. */
async function isSame(path: string, headers: Record<string, string>) {
  const wanted = withoutNonce(await shown(plain, path, headers));
  expect(withoutNonce(await shown(kept, path, headers))).toEqual(wanted);
  expect(withoutNonce(await shown(kept, path, headers))).toEqual(wanted);
  return wanted;
}

async function allSame() {
  for (const { headers } of Object.values(readers)) for (const path of PATHS) await isSame(path, headers);
}

/** Resolves when both servers have got the notifications of all commits until now. */
async function notified(): Promise<void> {
  for (const { store } of [kept, plain]) {
    const arrived = Promise.withResolvers<void>();
    const stop = await store.listen("kept_test", { onNotify: () => arrived.resolve() });
    await kept.store.notify("kept_test", "");
    await arrived.promise;
    await stop();
  }
}

/** Changes, each by the server that keeps nothing and by the one that keeps. */
const CHANGES: Record<string, (server: TestRuntime, turn: number) => Promise<unknown>> = {
  "nothing at all": async () => {},
  "the name of a page": (server, turn) =>
    server.ask("PUT", `/api/pages/${page}`, { body: { name: `Failover`, html: `${CONTENT}<p>${turn}</p>` } }),
  "the name of a book": (server, turn) =>
    server.ask("PUT", `/api/books/${book}`, { body: { name: "Runbooks", description: `No. ${turn}` } }),
  "the name of a user": (server, turn) =>
    server.ask("PUT", `/api/users/${readers.author?.id}`, { body: { name: `Ada <${turn}>` } }),
  "the language of a user": (server, turn) =>
    server.ask("PUT", `/api/users/${readers.german?.id}`, { body: { language: turn === 0 ? "fr" : "de" } }),
  "a comment": (server) => server.ask("POST", "/api/comments", { body: { page_id: page, html: "<p>Second</p>" } }),
  "an attachment": (server) =>
    server.ask("POST", "/api/attachments", {
      body: { name: "Manual", uploaded_to: page, link: "https://example.com" },
    }),
  "a tag": (server, turn) =>
    server.ask("PUT", `/api/pages/${page}`, { body: { tags: [{ name: "turn", value: `${turn}` }] } }),
  "the owner of a page": (server, turn) =>
    server.ask("PUT", `/api/content-permissions/page/${page}`, {
      body: { owner_id: turn === 0 ? readers.author?.id : 1 },
    }),
  "who sees a page": (server, turn) =>
    server.ask("PUT", `/api/content-permissions/page/${page}`, {
      body: {
        role_permissions: [
          { role_id: readers.german?.role, view: turn === 1, create: false, update: false, delete: false },
        ],
        fallback_permissions: { inheriting: true },
      },
    }),
  "the permissions of a role": (server, turn) =>
    server.ask("PUT", `/api/roles/${readers.german?.role}`, {
      body: { permissions: ["access-api", ...VIEWS, ...(turn === 0 ? ["page-delete-all", "content-export"] : [])] },
    }),
  "the roles of a user": (server, turn) =>
    server.ask("PUT", `/api/users/${readers.german?.id}`, {
      body: { roles: [turn === 0 ? readers.author?.role : readers.german?.role] },
    }),
  "rows of a part": (server) => server.ask("POST", `/api/stars/${page}`),
  "the place of a page": (server, turn) =>
    server.ask("PUT", `/api/books/${book}`, { body: { name: turn === 0 ? "Others" : "Runbooks" } }),
};

test.each(Object.keys(CHANGES))("screens are as without a cache after a change of %s", async (name) => {
  await allSame();
  for (const [turn, server] of [kept, plain].entries()) {
    const answer = (await CHANGES[name]?.(server, turn)) as { status: number } | undefined;
    if (answer) expect([answer.status, name]).toEqual([200, name]);
    await notified();
    await allSame();
  }
});

test("notices and schemes are those of the request", async () => {
  const { cookie } = readers.admin?.headers ?? {};
  const path = "/books/runbooks/page/failover";
  for (const more of [
    "lectern_scheme=dark",
    "lectern_notice=Saved%20%3Cb%3E",
    "lectern_scheme=light; lectern_notice=Done",
    "",
  ]) {
    const { text } = await isSame(path, { cookie: `${cookie}; ${more}` });
    expect([text.includes("Saved &lt;b&gt;"), /<html lang="en" data-theme="dark">/.test(text)]).toEqual([
      more.includes("Saved"),
      more.includes("dark"),
    ]);
  }
});

test("readers of one role see times in the zone that each has chosen, from the next request on", async () => {
  const { author, nobody } = readers as Record<"author" | "nobody", Reader>;
  const as = await kept.tokenOf("author@kept.example.com");
  const times = (text: string) => [...text.matchAll(/<time [^>]*>([^<]+)</g)].map(([, time = ""]) => time);
  const path = "/books/runbooks/page/gone";
  expect(times((await isSame(path, author.headers)).text)[0]).toEndWith(" UTC");
  for (const time_zone of ["Asia/Kathmandu", "America/New_York", ""]) {
    await kept.ask("PUT", "/api/users/me", { as, body: { time_zone } });
    await notified();
    const { text } = await isSame(path, author.headers);
    const at = new Date(/<time datetime="([^"]+)"/.exec(text)?.[1] ?? "");
    const timeZone = time_zone === "" ? "UTC" : time_zone;
    const own = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "short", timeZone }).format(at);
    expect([time_zone, times(text)[0]]).toEqual([time_zone, time_zone === "" ? `${own} UTC` : own]);
    expect(times((await isSame(path, nobody.headers)).text)[0]).toEndWith(" UTC");
  }
});

test("no two answers have the same nonce, and what it allows has it", async () => {
  const { headers } = readers.admin as Reader;
  const answers = await Promise.all(Array.from({ length: 5 }, () => shown(kept, PATHS[2] ?? "", headers)));
  expect(new Set(answers.map(({ nonce }) => nonce)).size).toBe(5);
  for (const { nonce, text } of answers) {
    expect(nonce).toHaveLength(32);
    expect(text.split(nonce)).toHaveLength(2);
    expect(text).toContain(`<style nonce="${nonce}">`);
  }
});

test("what says what it follows from is drawn once, other parts at each request", async () => {
  const path = "/books/runbooks/page/failover";
  const { author, german } = readers as Record<"author" | "german", Reader>;
  await kept.ask("PUT", `/api/users/${german.id}`, { body: { roles: [author.role], language: "de" } });
  await kept.ask("PUT", `/api/content-permissions/page/${page}`, { body: { owner_id: 1 } });
  const language = { "accept-language": "de" };
  // By the first drawing it is known for whom further ones are kept.
  for (let n = 0; n < 2; n++) await shown(kept, path, { ...german.headers, ...language });
  const before = { ...drawn };
  for (let n = 0; n < 3; n++) await shown(kept, path, { ...german.headers, ...language });
  expect(drawn).toEqual({ ...before, undeclared: before.undeclared + 3 });
  const { text } = await shown(kept, path, { ...author.headers, ...language, "x-mood": "<wild>" });
  expect(text).toContain("&lt;wild&gt;");
  expect(text).not.toContain("\u0001");
});

test("a screen that is drawn with the name of its reader is kept for that reader alone", async () => {
  const names = await Promise.all(
    [readers.admin, readers.author].map(async (reader) => {
      const { text } = await shown(kept, "/books/runbooks", reader?.headers ?? {});
      return /<summary>.*<span>(.*)<\/span><\/summary>/.exec(text)?.[1];
    }),
  );
  expect(new Set(names).size).toBe(2);
});

test("a book is kept once, whatever part of its contents a query names beyond the last one", async () => {
  const { headers } = readers.admin as Reader;
  const [first = ""] = PATHS;
  const texts = [];
  for (const number of [1, 1, 7, 8, 900_000]) texts.push((await isSame(`${first}?page=${number}`, headers)).text);
  expect(new Set(texts).size).toBe(1);
  const before = drawn.books;
  for (let number = 2; number < 9; number++) await shown(kept, `${first}?page=${number}`, headers);
  expect(drawn.books).toBe(before);
});
