/**
 * What contracts and slots give to plugins that do not ship: functions that write perform their event and judge the viewer, or are
 * refused; hashes, credentials of requests and files of others are not handed out.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type AnyContext,
  type AnyPlugin,
  definePlugin,
  type EventTransaction,
  frozenViewer,
  GUEST,
  html,
  sha256,
} from "lectern/core";
import { declaredSlots } from "../../core/runtime/slot_specs.ts";
import plugins from "../../plugins/mod.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

const root = mkdtempSync(join(tmpdir(), "lectern-own-files-"));
const folder = join(root, "plugin");
mkdirSync(join(folder, "public"), { recursive: true });
writeFileSync(join(folder, "public", "own.js"), "own");
writeFileSync(join(folder, ".env"), "SECRET=1");
writeFileSync(join(root, "beside.js"), "beside");
symlinkSync(join(root, "beside.js"), join(folder, "public", "link.js"));

let context: AnyContext;
const seen: Request[] = [];

/** Has hardly any grants, and calls whatever it finds. */
const stranger = definePlugin({
  name: "calls_stranger",
  requires: ["dashboard_keys", "overrides", "pages", "sessions", "tags", "throttle", "users", "web"],
  setup(given) {
    context = given as unknown as AnyContext;
    const { app, contribute, contracts, on, routeScope } = given;
    const look = ({ request }: { request: Request }) => {
      seen.push(request);
      return { ok: true };
    };
    app.get("/calls/seen", look, { permit: "public" });
    app.get("/calls/headers", ({ headers, cookie }) => ({ headers, cookies: Object.keys(cookie) }), {
      permit: "access-api",
    });
    app.get("/calls/scoped", look, { permit: "access-api" });
    app.get(
      "/calls/user",
      async ({ request }) => ({
        name: (await contracts.sessions.viewer(request))?.name,
        own: request.headers.get("cookie"),
      }),
      { permit: "access-api" },
    );
    app.site.get("/calls/seen", look, { permit: "public" });
    routeScope("/calls/scoped", {
      intercept: async (request, _, next) => {
        seen.push(request);
        return next();
      },
    });
    contribute("screen_hook", {
      before: (request) => void seen.push(request),
      after: (request, response) => void seen.push(request, new Request("http://x", { headers: response.headers })),
    });
    contribute("screen_part", {
      at: "screen/footer",
      draw(_, visit) {
        seen.push(visit.request);
        return html`<i>part</i>`;
      },
    });
    contracts.web.screen(app.site, "/calls/screen", "public", async (visit) => {
      seen.push(visit.request);
      const user = await contracts.sessions.viewer(visit.request);
      return { title: "Seen", body: html`<b>${user?.name ?? "nobody"}</b>` };
    });
    on("book_update", { inTransaction: (_, tx) => attack?.(tx) });
  },
});
/** Has credentials of its own. */
const keeper = definePlugin({
  name: "calls_keeper",
  grants: { auth: true },
  setup({ app, routeScope }) {
    routeScope("/calls/keys", {
      authenticate: ({ headers }) =>
        headers.get("authorization") === "Key 7" ? frozenViewer({ ...GUEST, name: "Key 7", via: "key" }) : undefined,
    });
    const own = ({ headers }: { headers: Record<string, string | undefined> }) => ({ sent: headers.authorization });
    app.get("/calls/keys/whole", own, { permit: "public" });
    app.get("/calls/apart", own, { permit: "public" });
  },
});
/** Says which slots it reads. */
const frugal = definePlugin({
  name: "calls_frugal",
  setup({ app, slot }) {
    app.get("/calls/slots", async () => [await said(() => slot("content")), await said(() => slot("screen_head"))], {
      permit: "access-api",
    });
  },
});

let attack: ((tx: EventTransaction) => Promise<void>) | undefined;

const said = async (run: () => unknown): Promise<string> => {
  try {
    await run();
    return "went through";
  } catch (error) {
    return String(error);
  }
};
const refusedTo = (what: string) =>
  `PowerError: The plugin "calls_stranger" calls ${what}, which only plugins that ship with Lectern may call`;

let stage: TestRuntime;
let book: number;
let page: number;
beforeAll(async () => {
  const extra: AnyPlugin[] = [{ ...stranger, listFile: join(folder, "plugin.ts") }, keeper, frugal];
  const pins = { version: 1, plugins: { calls_frugal: { slotsRead: ["content" as const] } } };
  stage = await bootTestRuntime({ extra, choices: { grants: pins } });
  book = (await stage.ask("POST", "/api/books", { body: { name: "Rights" } })).body.id;
  page = (await stage.ask("POST", "/api/pages", { body: { book_id: book, name: "One", html: "<p>before</p>" } })).body
    .id;
});
afterAll(async () => {
  await stage.stop();
  rmSync(root, { recursive: true, force: true });
});

/** Runs something within the transaction of an update by a user, and says what each of its calls was answered with. */
async function within(
  as: string,
  calls: (tx: EventTransaction) => Record<string, () => unknown>,
): Promise<Record<string, unknown>> {
  const answers: Record<string, string> = {};
  attack = async (tx) => {
    for (const [name, call] of Object.entries(calls(tx))) answers[name] = await said(call);
  };
  const { status } = await stage.ask("PUT", `/api/books/${book}`, { as, body: { name: `Rights ${Math.random()}` } });
  attack = undefined;
  return { status, ...answers };
}

/** Functions of contributions that are for shipped plugins, by slot. */
function shippedCalls(): [slot: string, members: readonly string[]][] {
  const slots = [...declaredSlots(plugins, plugins).all()].sort(([a], [b]) => (a < b ? -1 : 1));
  return slots.flatMap(([slot, { ships }]): [string, readonly string[]][] => (ships ? [[slot, ships]] : []));
}

test("pages are neither rewritten nor kept nor discarded by a plugin without the event of it", async () => {
  const { pages } = context.contracts;
  const content = { html: "<p>after</p>", markdown: "" };
  const parent = { kind: "book" as const, id: book };
  const answers = await within(stage.token, (tx) => ({
    rewrite: () => pages.rewrite(page, content, "rewritten", tx),
    keepDraft: () => pages.keepDraft({ id: null, parent, name: "Draft", ...content }, tx),
    discardDrafts: () => pages.discardDrafts([page], tx),
    prototype: () => Object.getPrototypeOf(pages).rewrite(page, content, "rewritten", tx),
  }));
  expect(answers).toEqual({
    status: 200,
    rewrite: refusedTo("pages.rewrite"),
    keepDraft: refusedTo("pages.keepDraft"),
    discardDrafts: refusedTo("pages.discardDrafts"),
    prototype: expect.stringContaining("TypeError"),
  });
  expect((await stage.ask("GET", `/api/pages/${page}`)).body.raw_html).toContain("before");
});

test("functions of slots that write or send are for shipped plugins alone, and for these as before", async () => {
  for (const [slot, members] of shippedCalls()) {
    for (const contribution of context.slot(slot as "dependents") as unknown as Record<string, () => unknown>[]) {
      for (const member of members) {
        if (contribution[member] === undefined) continue;
        expect(await said(() => contribution[member]?.())).toBe(refusedTo(`"${member}" of the slot "${slot}"`));
        const { [member]: found } = Object.getPrototypeOf(contribution);
        expect(found).toBeUndefined();
      }
    }
  }
  expect(context.slot("response_fields").filter(({ cached }) => cached)).toEqual([]);
  expect(context.slot("self_check").length).toBeGreaterThan(3);
  const shipped = stage.contexts.get("recycle_bin") as AnyContext;
  expect(typeof shipped.slot("response_fields").find(({ cached }) => cached)?.cached).toBe("object");
});

test("a plugin keeps the credentials of its own route scope, and gets none elsewhere", async () => {
  const headers = { authorization: "Key 7" };
  expect((await stage.ask("GET", "/api/calls/keys/whole", { headers, as: null })).body).toEqual({ sent: "Key 7" });
  expect((await stage.ask("GET", "/api/calls/apart")).body).toEqual({});
});

test("a plugin of which the operator accepted the slots that it reads reads no others", async () => {
  expect((await stage.ask("GET", "/api/calls/slots")).body).toEqual([
    "went through",
    'PowerError: The plugin "calls_frugal" reads the slot "screen_head", which "slotsRead" in "grants" of package.json does not name',
  ]);
});

test("content permissions are replaced by those who may manage them, as an event", async () => {
  const editor = await stage.person("editor", ["access-api", "book-view-all", "book-update-all"]);
  const { overrides } = context.contracts;
  const closed = [{ role_id: 0, view: false, create: false, update: false, delete: false }];
  const replaced = await within(editor.token, (tx) => ({ replace: () => overrides.replace("book", book, closed, tx) }));
  expect(replaced.replace).toContain("permission");
  const path = `/api/content-permissions/book/${book}`;
  expect((await stage.ask("GET", path)).body.fallback_permissions.inheriting).toBe(true);
  const own = await within(stage.token, (tx) => ({ replace: () => overrides.replace("book", book, [], tx) }));
  expect(own).toEqual({ status: 200, replace: "went through" });
  const [row] = (await stage.ask("GET", "/api/audit-log?sort=-id&count=5&filter[type]=permissions_update")).body.data;
  expect(row.loggable_id).toBe(book);
});

test("tags are saved for a plugin's own kinds, and limits are its own", async () => {
  const { tags, throttle } = context.contracts;
  const given = [{ name: "stolen", value: "", order: 0 }];
  const answers = await within(stage.token, (tx) => ({
    book: () => tags.save("book", book, given, tx),
    own: () => tags.save("calls_kind", 1, given, tx),
  }));
  expect(answers).toMatchObject({
    book: expect.stringContaining("whose plugin ships"),
    own: "went through",
  });
  expect((await stage.ask("GET", `/api/books/${book}`)).body.tags).toEqual([]);
  const limit = { name: "sign in by address", attempts: 1, seconds: 60 };
  const shipped = stage.contexts.get("sessions")?.contracts.throttle;
  await shipped?.take(limit, "192.0.2.7");
  await throttle.take(limit, "192.0.2.7");
  await throttle.forgive(limit, "192.0.2.7");
  expect(await said(() => shipped?.take(limit, "192.0.2.7"))).toContain("Too Many Attempts");
});

test("hashes of passwords and keys stay where they are", async () => {
  const { dashboard_keys: keys, users } = context.contracts;
  expect(await said(() => users.byPassword("admin@example.com", "x"))).toContain(
    "calls users.byPassword, which it does not declare",
  );
  const shipped = stage.contexts.get("sessions")?.contracts.users;
  const [{ password }] = (await stage.store.sql`select password from users where id = 1`) as unknown as [
    { password: string },
  ];
  const found = await shipped?.byPassword("admin@example.com", "correct horse battery");
  expect(found).toEqual({ id: 1, isConfirmed: true, seal: sha256(password) });
  const body = { token_name: "wall", integration_type: "dashboard" };
  const made = await stage.ask("POST", "/api/v1/dashboard/keys", { body });
  const { token_key, token_secret } = made.body;
  for (const _ of [1, 2]) {
    const check = await keys.check("dashboard", token_key, token_secret, "192.0.2.7");
    expect(Object.keys(check).sort()).toEqual(["id", "name"]);
  }
  expect(await said(() => keys.spend(1, 1, {} as EventTransaction))).toBe(refusedTo("dashboard_keys.spend"));
});

test("a plugin serves files below its own folder, and no others", async () => {
  const { web } = context.contracts;
  const refused = expect.stringContaining("RangeError: Cannot use the file");
  expect(await said(() => web.asset("one", "/etc/passwd"))).toEqual(refused);
  expect(await said(() => web.asset("two", join(folder, "..", "beside.js")))).toEqual(refused);
  expect(await said(() => web.asset("three", join(folder, "public", "link.js")))).toEqual(refused);
  expect(await said(() => web.asset("four", join(folder, ".env")))).toEqual(refused);
  expect(await said(() => web.asset("five", folder))).toEqual(refused);
  expect((await stage.ask("GET", web.asset("own.js", join(folder, "public", "own.js")))).body).toBe("own");
});

const CREDENTIALS = { cookie: "theme=dark; bookstack_session=secret; bookstack_session_pending=secret", "x-own": "1" };

/** Whether any request that the plugin saw says a secret, in its headers or its address. */
const leaks = () =>
  seen
    .filter((request) => `${request.url} ${JSON.stringify([...request.headers])}`.match(/secret|Token |Bearer/))
    .map(({ url }) => url);

test("requests to a plugin's own routes lose tokens and the cookies of sessions, and keep the rest", async () => {
  seen.length = 0;
  for (const path of ["/api/calls/seen", "/api/calls/scoped", "/calls/seen"])
    expect((await stage.ask("GET", path, { headers: CREDENTIALS })).status).toBe(200);
  expect(seen.length).toBe(7);
  expect(leaks()).toEqual([]);
  expect(seen[0]?.headers.get("cookie")).toBe("theme=dark");
  expect(seen[0]?.headers.get("x-own")).toBe("1");
  const { body } = await stage.ask("GET", "/api/calls/headers", { headers: CREDENTIALS });
  expect([body.headers.authorization, body.headers.cookie, body.cookies]).toEqual([undefined, "theme=dark", ["theme"]]);
});

test("what a plugin sees of requests to others has no credentials, cookies and secret parameters", async () => {
  seen.length = 0;
  const paths = ["/login?token=secret&page=2", "/password/reset/secret-of-the-link", "/calls/screen"];
  for (const path of paths)
    await stage.ask("GET", path, { as: null, headers: { ...CREDENTIALS, accept: "text/html" } });
  expect(seen.length).toBeGreaterThan(8);
  expect(leaks()).toEqual([]);
  expect(seen.some(({ url }) => url.includes("page=2"))).toBe(true);
});

test("sessions are found by the request that a plugin passes on", async () => {
  const { value } = await session();
  const headers = { cookie: `theme=dark; bookstack_session=${value}` };
  const { body } = await stage.ask("GET", "/api/calls/user", { as: null, headers });
  expect(body).toEqual({ name: "Admin", own: "theme=dark" });
  const screen = await stage.ask("GET", "/calls/screen", { as: null, headers: { ...headers, accept: "text/html" } });
  expect(screen.body).toContain("<b>Admin</b>");
  // Its own screen keeps its own cookies, also of a visitor without a session.
  seen.length = 0;
  await stage.ask("GET", "/calls/screen", { as: null, headers: { cookie: "theme=dark", accept: "text/html" } });
  expect(seen.some((request) => request.headers.get("cookie") === "theme=dark")).toBe(true);
});

/** The cookie of a session of the administrator. */
async function session(): Promise<{ value: string }> {
  const sessions = stage.contexts.get("sessions")?.contracts;
  expect(sessions).toBeDefined();
  const body = { email: "admin@example.com", password: "correct horse battery" };
  const { headers } = await stage.ask("POST", "/api/session", { as: null, body });
  return { value: /=([A-Za-z0-9]{40});/.exec(headers.getSetCookie().join("\n"))?.[1] ?? "" };
}
