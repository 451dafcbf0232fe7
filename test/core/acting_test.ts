/**
 * As whom a plugin acts: as the viewer of the request, event or call at hand; as SYSTEM or another user only with the powers
 * for that.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type AnyContext, acceptWebSocket, definePlugin, GUEST, html, SYSTEM, sql, type Viewer } from "lectern/core";
import { WebSocketListener } from "../../core/http/websocket.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";
import { until } from "../support/harness/until.ts";

declare module "lectern/core" {
  interface Events {
    acting_happen: { draft: { as: string }; result: { as: string } };
    acting_within: { draft: Record<string, never>; result: Record<string, never> };
  }
  interface Jobs {
    acting_work: Record<string, never>;
  }
  interface Contracts {
    acting_reader: { books(viewer: Viewer): Promise<string>; nested: { viewer: string } };
  }
  interface Slots {
    acting_part: { books(viewer: Viewer): Promise<string> };
  }
}

const outcome = (run: () => unknown) =>
  Promise.resolve()
    .then(run)
    .then(
      () => "went through",
      (error: Error) => error.message,
    );
const NO_SYSTEM = (name: string) =>
  `The plugin "${name}" acts as SYSTEM, which it does not declare; add to its grants: system: true`;
const NO_OTHER = (name: string) =>
  `The plugin "${name}" acts as a user who is not that of the request, which it does not declare; add to its grants: impersonate: true`;
const REFUSED = 'which the operator refused: "denied" in package.json names';

/** What happens at each call that takes a viewer. */
async function tries({ perform, callAs, visible, list }: AnyContext, viewer: Viewer): Promise<Record<string, string>> {
  const spec = { table: "books", fields: { id: "integer" }, columns: sql`books.id` } as const;
  const books = () => visible("books", viewer).select("id").execute();
  return {
    perform: await outcome(() => perform("acting_happen", viewer, { as: viewer.name }, async (draft) => draft)),
    callAs: await outcome(() => callAs(viewer, "GET", "/api/books")),
    visible: await outcome(books),
    where: await outcome(() => visible.where("books", viewer)),
    list: await outcome(() => list(spec, viewer, {})),
  };
}
const all = (said: string) => ({ perform: said, callAs: said, visible: said, where: said, list: said });
const THROUGH = all("went through");

const kept: { viewer?: Viewer } = {};
const said: string[] = [];
const looked: string[] = [];
const contexts: Record<string, AnyContext> = {};

/** Offers its reads to others, and has no power itself. */
const reader = definePlugin({
  name: "reader",
  provides: ["acting_reader"],
  grants: { read: ["books"] },
  setup({ contribute, provide, visible }) {
    const books = (viewer: Viewer) => outcome(() => visible("books", viewer).select("id").execute());
    provide("acting_reader", { books, nested: { viewer: "" } });
    contribute("acting_part", { books });
  },
});

/** Has no power to act as anybody else. */
const modest = definePlugin({
  name: "modest",
  requires: ["acting_reader", "sessions", "users", "web"],
  grants: { read: ["books"] },
  events: ["acting_happen", "acting_within"],
  setup(context) {
    const { app, contracts, jobs, on, slot, visible } = context;
    contexts.modest = context as unknown as AnyContext;
    const own = contexts.modest;
    on("acting_happen", {
      async filter(draft, tx) {
        said.push(await outcome(() => visible("books", tx.viewer, tx.db).select("id").execute()));
        return draft;
      },
      async inTransaction(_, tx) {
        said.push(await outcome(() => tx.perform("acting_within", {}, async () => ({}))));
      },
      async notify(_, record) {
        said.push(await outcome(() => own.callAs(record.viewer, "GET", "/api/books")));
      },
    });
    on("app_boot", {
      inTransaction: async (_, tx) => {
        said.push(await outcome(() => tx.perform("acting_happen", { as: "boot" }, async (draft) => draft)));
        said.push(await outcome(() => visible("books", tx.viewer)));
      },
    });
    app.get(
      "/modest",
      async ({ request, viewer }) => {
        kept.viewer ??= viewer;
        const admin = (await contracts.users.viewer(1)) as Viewer;
        const forged = { ...viewer, admin: true };
        const [part] = slot("acting_part");
        return {
          own: await tries(own, viewer),
          guest: await tries(own, GUEST),
          kept: await outcome(() => visible("books", kept.viewer as Viewer)),
          system: await tries(own, SYSTEM),
          forged: await tries(own, forged),
          forgedSystem: await outcome(() => visible("books", { ...forged, via: "system" })),
          other: await outcome(() => visible("books", viewer === admin ? { ...admin } : admin)),
          begin: await outcome(() => contracts.sessions.begin(1, { request, address: "" }, { method: "acting" })),
          contract: [
            await outcome(async () => expect(await contracts.acting_reader.books(viewer)).toBe("went through")),
            await outcome(() => contracts.acting_reader.books(forged)),
            await outcome(() => part?.books(SYSTEM)),
          ],
        };
      },
      { permit: "access-api" },
    );
    app.get("/modest/later", () => outcome(() => visible("books", kept.viewer as Viewer)), { permit: "access-api" });
    contracts.web.screen(app.site, "/modest", "public", async ({ viewer, find }) => {
      await find("/api/books");
      return { title: "Modest", body: html`<p id="said">${JSON.stringify(await tries(own, viewer))}</p>` };
    });
    app.site.get(
      "/modest/socket",
      ({ viewer }) =>
        acceptWebSocket({
          async message(socket) {
            socket.send(JSON.stringify([await tries(own, viewer), await tries(own, SYSTEM)]));
          },
        }),
      { permit: "public" },
    );
    jobs.handle("acting_work", async () => {
      said.push(await outcome(() => visible("books", SYSTEM)));
      said.push(await outcome(() => visible("books", kept.viewer as Viewer)));
    });
    jobs.every("look", 1000, async () => void looked.push(await outcome(() => visible("books", SYSTEM))));
  },
});

/** May act as anybody. */
const mighty = definePlugin({
  name: "mighty",
  requires: ["acting_reader", "users"],
  grants: { read: ["books"], system: true, impersonate: true },
  events: ["acting_happen"],
  setup(context) {
    contexts.mighty = context as unknown as AnyContext;
    const { app, contracts, slot } = context;
    app.get(
      "/mighty",
      async ({ viewer }) => {
        const forged = { ...viewer, name: "forged" };
        return {
          system: await tries(contexts.mighty as AnyContext, SYSTEM),
          forged: await tries(contexts.mighty as AnyContext, forged),
          contract: await contracts.acting_reader.books(forged),
          part: await slot("acting_part")[0]?.books(SYSTEM),
        };
      },
      { permit: "access-api" },
    );
  },
});

let runtime: TestRuntime;
beforeAll(async () => {
  runtime = await bootTestRuntime({ extra: [reader, modest, mighty] });
});
afterAll(() => runtime.stop());

test("at the boot, SYSTEM is nobody whom a plugin without the power may act as", () => {
  expect(said.splice(0)).toEqual([NO_SYSTEM("modest"), NO_SYSTEM("modest")]);
});

test("a route acts as the user of its request and as a guest, and as nobody else", async () => {
  const { token } = await runtime.person("first", ["access-api", "book-view-all"]);
  const { body } = await runtime.ask("GET", "/api/modest", { as: token });
  expect(body).toEqual({
    own: THROUGH,
    guest: THROUGH,
    kept: "went through",
    system: all(NO_SYSTEM("modest")),
    forged: all(NO_OTHER("modest")),
    forgedSystem: NO_SYSTEM("modest"),
    other: NO_OTHER("modest"),
    begin: 'The plugin "modest" calls sessions.begin, which it does not declare; add to its grants: auth: true',
    contract: ["went through", NO_OTHER("modest"), NO_SYSTEM("modest")],
  });
});

test("a viewer that a plugin keeps from a request is none for later ones", async () => {
  expect((await runtime.ask("GET", "/api/modest/later")).body).toBe(NO_OTHER("modest"));
  expect((await runtime.ask("GET", "/api/modest")).body.kept).toBe(NO_OTHER("modest"));
});

test("a plugin with the powers acts as anybody, and functions of others that it calls may do so then", async () => {
  expect((await runtime.ask("GET", "/api/mighty")).body).toEqual({
    system: THROUGH,
    forged: THROUGH,
    contract: "went through",
    part: "went through",
  });
});

test("the viewer of an event is one for its handlers, whoever performs it", async () => {
  await runtime.runtime.bus.settle();
  said.splice(0);
  const perform = (viewer: Viewer) =>
    contexts.mighty?.perform("acting_happen", viewer, { as: viewer.name }, async (draft) => draft);
  for (const viewer of [SYSTEM, { ...GUEST, name: "other" }]) {
    await perform(viewer);
    await runtime.runtime.bus.settle();
    expect(said.splice(0)).toEqual(["went through", "went through", "went through"]);
  }
});

test("jobs and schedules have no user, so they act as nobody", async () => {
  await contexts.modest?.jobs.enqueue("acting_work", {});
  await runtime.runtime.jobs.drain();
  expect(said.splice(0)).toEqual([NO_SYSTEM("modest"), NO_OTHER("modest")]);
  await runtime.runtime.jobs.start();
  await until(() => looked.length > 0);
  expect(looked[0]).toBe(NO_SYSTEM("modest"));
  await expect(contexts.mighty?.jobs.enqueue("acting_work", {}) ?? Promise.resolve()).rejects.toThrow(
    'The plugin "mighty" enqueues "acting_work", which it does not handle',
  );
});

test("a screen acts as its reader, in the reader's language", async () => {
  for (const language of ["en", "de"]) {
    const headers = { "accept-language": language, accept: "text/html" };
    const { body } = await runtime.ask("GET", "/modest", { headers });
    const shown = /id="said">([^<]*)</.exec(body)?.[1]?.replaceAll("&quot;", '"') ?? "";
    expect(JSON.parse(shown)).toEqual(THROUGH);
  }
});

test("a WebSocket acts as the user of the request that it was upgraded from", async () => {
  const listener = new WebSocketListener();
  using server = Bun.serve({
    port: 0,
    websocket: listener.handler,
    async fetch(request, bun) {
      const response = await runtime.runtime.http.handle(request, "127.0.0.1");
      return listener.upgrade(request, response, bun) ? undefined : response;
    },
  });
  const headers = { authorization: `Token ${runtime.token}` };
  const socket = new WebSocket(`ws://localhost:${server.port}/modest/socket`, { headers } as never);
  const answer = Promise.withResolvers<string>();
  socket.onmessage = ({ data }) => answer.resolve(String(data));
  socket.onopen = () => socket.send("try");
  expect(JSON.parse(await answer.promise)).toEqual([THROUGH, all(NO_SYSTEM("modest"))]);
  listener.close();
});

test("what the operator denies is refused at the call", async () => {
  const bold = definePlugin({
    name: "bold",
    grants: { read: ["books"], system: true, impersonate: true },
    setup({ app, visible }) {
      app.get(
        "/bold",
        async ({ viewer }) => [
          await outcome(() => visible("books", SYSTEM)),
          await outcome(() => visible("books", { ...viewer })),
        ],
        { permit: "access-api" },
      );
    },
  });
  const other = await bootTestRuntime({ extra: [bold], choices: { denied: { bold: ["system", "impersonate"] } } });
  const { body } = await other.ask("GET", "/api/bold");
  await other.stop();
  expect(body).toEqual([
    `The plugin "bold" acts as SYSTEM, ${REFUSED} "system"`,
    `The plugin "bold" acts as a user who is not that of the request, ${REFUSED} "impersonate"`,
  ]);
});
