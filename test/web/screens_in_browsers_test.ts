/**
 * Screens that browsers keep: asked again with its entity tag, a screen is answered 304 exactly where it is the one that the browser has, whatever changed
 * meanwhile and whoever asks; a 304 leaves the policy of what is kept alone, whose nonce is the one in its markup; and what Back would
 * show too late is not kept at all.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { type AnyPlugin, definePlugin } from "lectern/core";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

setDefaultTimeout(180_000);

const PAGE = "/books/runbooks/page/failover";
const PLAIN = "/books/runbooks/page/calm";
const PATHS = ["/", "/books/runbooks", PAGE, PLAIN, "/search?query=failover"];
const STYLED = '<p style="color: red">Call the DBA</p>';
const VIEWS = ["access-api", "page-view-all", "book-view-all", "chapter-view-all"];

interface Shown {
  readonly status: number;
  readonly headers: Headers;
  /** Without the nonce. */
  readonly text: string;
  readonly nonce: string | undefined;
}

let server: TestRuntime;
let readers: Record<string, Record<string, string>>;
let ids: { ann: number; page: number };

const sessionOf = async (email: string, password: string) => {
  const { headers } = await server.ask("POST", "/api/session", { as: null, body: { email, password } });
  return headers.get("set-cookie")?.split(";")[0] ?? "";
};
const make = async (path: string, body: object): Promise<number> => (await server.ask("POST", path, { body })).body.id;
const hook: AnyPlugin = definePlugin({
  name: "hook",
  setup({ contribute }) {
    contribute("screen_hook", { after: async () => undefined });
  },
});

beforeAll(async () => {
  server = await bootTestRuntime({ env: { APP_PUBLIC: "true" } });
  const book = await make("/api/books", { name: "Runbooks" });
  const page = await make("/api/pages", { book_id: book, name: "Failover", html: STYLED });
  await make("/api/pages", { book_id: book, name: "Calm", html: "<p>Wait</p>" });
  const { id } = await server.person("Ann", VIEWS);
  await server.ask("PUT", `/api/users/${id}`, { body: { email: "ann@example.com", password: "long enough" } });
  const [admin, ann] = [
    await sessionOf("admin@example.com", "correct horse battery"),
    await sessionOf("ann@example.com", "long enough"),
  ];
  ids = { ann: id, page };
  readers = {
    admin: { cookie: admin },
    "admin in German": { cookie: admin, "accept-language": "de" },
    "admin in the dark": { cookie: `${admin}; lectern_scheme=dark` },
    ann: { cookie: ann },
    visitor: {},
  };
});
afterAll(() => server.stop());

async function shown(path: string, headers: Record<string, string> = {}, at = server): Promise<Shown> {
  const request = new Request(`${at.baseUrl}${path}`, { headers: { accept: "text/html", ...headers } });
  const answer = await at.runtime.http.handle(request, "127.0.0.1");
  const nonce = /nonce-([\w-]+)/.exec(answer.headers.get("content-security-policy") ?? "")?.[1];
  const text = await answer.text();
  return {
    status: answer.status,
    headers: answer.headers,
    text: nonce === undefined ? text : text.replaceAll(nonce, ""),
    nonce,
  };
}

const tagOf = ({ headers }: Shown) => headers.get("etag") ?? "";
const names = (tag: string) => ({ "if-none-match": `"other", ${tag}` });

/** Changes of what screens show, of who sees it, and of the reader. */
const CHANGES: Record<string, () => Promise<unknown>> = {
  nothing: async () => {},
  "a page": () => server.ask("PUT", `/api/pages/${ids.page}`, { body: { html: `${STYLED}<p>Again</p>` } }),
  "a style of a page": () =>
    server.ask("PUT", `/api/pages/${ids.page}`, { body: { html: STYLED.replace("red", "blue") } }),
  "a comment": () => server.ask("POST", "/api/comments", { body: { page_id: ids.page, html: "<p>First</p>" } }),
  "the name of a reader": () => server.ask("PUT", `/api/users/${ids.ann}`, { body: { name: "Ada" } }),
  "who sees a page": () =>
    server.ask("PUT", `/api/content-permissions/page/${ids.page}`, {
      body: { fallback_permissions: { inheriting: false, view: false, create: false, update: false, delete: false } },
    }),
};

test.each(Object.keys(CHANGES))(
  "after a change of %s, a screen is unchanged where it is what the browser has",
  async (name) => {
    const before = new Map<string, Shown>();
    for (const [who, headers] of Object.entries(readers))
      for (const path of PATHS) before.set(`${who} ${path}`, await shown(path, headers));
    await CHANGES[name]?.();
    for (const [who, headers] of Object.entries(readers))
      for (const path of PATHS) {
        const kept = before.get(`${who} ${path}`) as Shown;
        const now = await shown(path, headers);
        const isKept = tagOf(kept) !== "" && now.status === 200 && now.text === kept.text;
        const again = await shown(path, { ...headers, ...names(tagOf(kept)) });
        expect([who, path, again.status]).toEqual([who, path, isKept ? 304 : now.status]);
        expect([who, path, again.text]).toEqual([who, path, isKept ? "" : now.text]);
        // The home screen and the search show what was read last.
        if (name === "nothing" && path.startsWith("/books"))
          expect([who, path, again.status]).toEqual([who, path, 304]);
      }
  },
);

test("what one reader keeps is nothing that another is told to show", async () => {
  for (const path of PATHS) {
    const tags = Object.values(readers).map(async (headers) => tagOf(await shown(path, headers)));
    const known = (await Promise.all(tags)).filter((tag) => tag !== "");
    expect([path, new Set(known).size]).toEqual([path, known.length]);
  }
});

test("a kept document keeps its policy, with the nonce in its markup, and each that is sent has its own", async () => {
  await server.ask("PUT", `/api/content-permissions/page/${ids.page}`, {
    body: { fallback_permissions: { inheriting: true } },
  });
  const [one, other] = [await shown(PAGE, readers.ann), await shown(PAGE, readers.ann)];
  expect(one.nonce).toBeString();
  expect(other.nonce).not.toBe(one.nonce);
  expect(tagOf(other)).toBe(tagOf(one));
  expect(one.headers.get("cache-control")).toBe("private, no-cache");
  const again = await shown(PAGE, { ...readers.ann, ...names(tagOf(one)) });
  expect([again.status, again.text, tagOf(again)]).toEqual([304, "", tagOf(one)]);
  expect([...again.headers.keys()].filter((name) => /^content-|^x-frame/.test(name))).toEqual([]);
  expect(again.headers.get("cache-control")).toBe("private, no-cache");
});

test("a notice is shown once, and what has a form of its own, errors and the API are not kept", async () => {
  const notice = { cookie: `${readers.ann?.cookie}; lectern_notice=Saved` };
  for (const [path, headers] of [
    [PLAIN, notice],
    [`${PLAIN}/edit`, readers.admin],
    ["/login", {}],
    ["/my-account/password", readers.admin],
    ["/books/nothing", readers.ann],
    ["/api/books", readers.ann],
    [`/api/pages/${ids.page}`, readers.ann],
  ] as const) {
    const { headers: sent } = await shown(path, headers);
    expect([path, sent.get("cache-control"), sent.get("etag")]).toEqual([path, "no-cache, no-store, private", null]);
  }
});

test("a browser that keeps a screen of a session that has ended is told to forget it", async () => {
  for (const [headers, forget] of [
    [names('W/"of-a-session"'), '"cache"'],
    [{}, null],
  ] as const) {
    const { status, headers: sent } = await shown("/my-account/sessions", headers);
    expect([status, sent.get("clear-site-data")]).toEqual([303, forget]);
  }
});

test("signing out has the browser forget, and nothing is kept where it would not, or where a theme changes answers", async () => {
  const other = await sessionOf("ann@example.com", "long enough");
  const request = new Request(`${server.baseUrl}/logout`, {
    method: "POST",
    headers: { cookie: other, accept: "text/html", origin: server.baseUrl },
  });
  const answer = await server.runtime.http.handle(request, "127.0.0.1");
  expect([answer.status, answer.headers.get("clear-site-data")]).toEqual([303, '"cache"']);
  for (const [more, cache] of [
    [{ env: { APP_URL: "http://wiki.example.com" } }, "no-cache, no-store, private"],
    [{ env: { APP_URL: "https://wiki.example.com" } }, "private, no-cache"],
    [{ extra: [hook] }, "no-cache, no-store, private"],
  ] as const) {
    const env = { APP_PUBLIC: "true", ...("env" in more ? more.env : {}) };
    const at = await bootTestRuntime({ beside: server, ...more, env });
    expect((await shown(PLAIN, {}, at)).headers.get("cache-control")).toBe(cache);
    await at.stop();
  }
});
