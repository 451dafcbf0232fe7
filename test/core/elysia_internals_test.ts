/** What Lectern assumes of the unpublished parts of Elysia: a version that changes one of them fails here. */
import { describe, expect, test } from "bun:test";
import { type AnyElysia, Elysia, t } from "elysia";
import {
  modelsOf,
  observeRoutes,
  parserOf,
  sharesHeaders,
  sharesSchemas,
  sharesWrappers,
  storedRoute,
} from "../../core/http/elysia_internals.ts";

const query = t.Object({ page: t.Numeric() });
const ok = () => "ok";
const noted = () => {};

test("modelsOf() finds the schemas that an app and its groups have named", () => {
  const app = new Elysia().model({ query }).group("/x", (group) => group.model("body", t.String()));
  expect(Object.keys(modelsOf(app))).toEqual(["query", "body"]);
  expect(modelsOf(app).query).toBe(query);
});

test("parserOf() finds the parsers that an app has named, and none of Elysia's own", () => {
  const rows = () => [];
  const app = new Elysia().parser("rows", rows).post("/x", ok, { parse: ["rows", "json"] });
  expect([parserOf(app, "rows"), parserOf(app, "json")]).toEqual([rows, undefined]);
  expect(app.routes[0]?.hooks.parse).toEqual([{ fn: "rows" }, { fn: "json" }]);
});

describe("an app shares", () => {
  const local = new Elysia().guard({ query }).get("/x", ok, { query });

  test("schemas of guards that are scoped or global", () => {
    expect([sharesSchemas(new Elysia()), sharesSchemas(local)]).toEqual([false, false]);
    for (const as of ["scoped", "global"] as const) {
      expect(sharesSchemas(new Elysia().guard({ as, query }))).toBe(true);
      expect(sharesSchemas(new Elysia().guard({ as, schema: "standalone", query }))).toBe(true);
      expect(sharesSchemas(new Elysia().use(new Elysia().guard({ as: "global", query })))).toBe(true);
    }
  });

  test("wrappers and headers", () => {
    const wrapped = new Elysia().wrap((fetch) => fetch);
    const named = new Elysia().headers({ "x-powered-by": "roses" });
    expect([local, wrapped, named].map(sharesWrappers)).toEqual([false, true, false]);
    expect([local, wrapped, named].map(sharesHeaders)).toEqual([false, false, true]);
  });

  test("hooks whose scope is not local, which `event` shows", () => {
    const scopes = (app: AnyElysia) => app.event.beforeHandle?.map(({ scope }) => scope);
    expect(scopes(new Elysia().onBeforeHandle(ok))).toEqual(["local"]);
    for (const as of ["scoped", "global"] as const)
      expect(scopes(new Elysia().onBeforeHandle({ as }, ok))).toEqual([as]);
    expect(scopes(new Elysia().use(new Elysia().onBeforeHandle({ as: "global" }, ok)))).toEqual(["global"]);
  });
});

test("storedRoute() finds one value for each route, by its own path and by those of requests", () => {
  const app = new Elysia().get("/books", ok).get("/books/:id", ok).get("/files/*", ok).post("/books/:id", ok);
  const found = ["/books", "/books/", "/books/:id", "/books/7", "/files/*", "/files/a/b"].map((path) =>
    storedRoute(app, "GET", path),
  );
  expect(found[0]).toBe(found[1]);
  expect(found[2]).toBe(found[3]);
  expect(found[4]).toBe(found[5]);
  expect(new Set([...found, storedRoute(app, "POST", "/books/7")]).size).toBe(4);
  expect([...found, storedRoute(app, "POST", "/books/7")]).not.toContain(undefined);
  expect([storedRoute(app, "PUT", "/books/7"), storedRoute(app, "GET", "/pages")]).toEqual([undefined, undefined]);
});

describe("observeRoutes()", () => {
  function observed() {
    const replaced: string[] = [];
    const seen: object[] = [];
    const options = (given: object) => {
      seen.push(given);
      return given;
    };
    const app = new Elysia().macro("mark", (mark: string) => ({
      detail: { tags: [mark] },
      transform: () => void mark,
    }));
    return { app: observeRoutes(app, { options, replaced: (route) => void replaced.push(route) }), replaced, seen };
  }

  test("sees the routes of every method that adds one, lazy ones too", async () => {
    const { app, seen } = observed();
    app
      .get("/get", ok)
      .route("PUT", "/route", ok)
      .group("/group", (group) => group.get("/x", ok))
      .guard({ query }, (guarded) => guarded.get("/guard", ok))
      .use(new Elysia().get("/use", ok))
      .use(Promise.resolve(new Elysia().get("/later", ok)));
    await app.modules;
    expect(app.routes.map(({ path }) => path)).toEqual(["/get", "/route", "/group/x", "/guard", "/use", "/later"]);
    expect(seen).toHaveLength(6);
  });

  test("tells which routes replace another", () => {
    const { app, replaced } = observed();
    app.get("/x", ok).get("/y", ok).post("/x", ok).get("/x", ok);
    expect(replaced).toEqual(["GET /x"]);
  });

  test("keeps macros from changing what a plugin shares between routes", () => {
    const { app } = observed();
    const open = { mark: "open", transform: [noted], detail: { summary: "A route" } };
    const given = structuredClone({ ...open, transform: [] });
    app
      .get("/one", ok, open)
      .guard({ mark: "closed" }, (guarded) => guarded.get("/two", ok, open))
      .group("/group", { mark: "closed" }, (group) => group.get("/three", ok, open))
      .get("/four", ok, open);
    expect({ ...open, transform: [] }).toEqual(given);
    expect(open.transform).toEqual([noted]);
    const counts = app.routes.map(({ hooks }) => hooks.transform.length);
    expect(counts).toEqual([2, 3, 3, 2]);
  });

  test("keeps macros from changing the lists that the routes of another instance share", () => {
    const { app } = observed();
    const other = new Elysia()
      .derive(() => ({ tool: "spade" }))
      .get("/one", ok, { mark: "one" } as object)
      .get("/two", ok);
    expect(app.use(other).routes.map(({ hooks }) => hooks.transform.length)).toEqual([2, 1]);
  });
});

describe("the root gets the routes of an app", () => {
  test("by route(), which takes the hooks that `routes` shows", async () => {
    const own = new Elysia({ prefix: "/api" })
      .derive(() => ({ tool: "spade" }))
      .get("/x", ({ tool }) => tool, {
        beforeHandle({ tool, set }) {
          set.headers.tool = tool;
        },
      });
    const root = new Elysia();
    for (const { method, path, handler, hooks } of own.routes)
      root.route(method, path, handler as never, hooks as never);
    const answer = await root.handle(new Request("http://localhost/api/x"));
    expect([await answer.text(), answer.headers.get("tool")]).toEqual(["spade", "spade"]);
  });

  test("without the error handlers that the root gets after them", async () => {
    const late = (text: string) => () => new Response(text);
    const fail = () => {
      throw new Error("dry");
    };
    const root: AnyElysia = new Elysia().route("GET", "/x", fail, { error: [() => {}, late("own")] });
    root.onError(late("root"));
    const texts = ["/x", "/y"].map(async (path) => (await root.handle(new Request(`http://localhost${path}`))).text());
    expect(await Promise.all(texts)).toEqual(["own", "root"]);
  });
});

test("schemas judge between `transform` and `beforeHandle`, and what their Decode throws is thrown with the status 422", async () => {
  const order: unknown[] = [];
  const height = t.Transform(t.String()).Decode((text) => {
    // Once for each request that Elysia decodes, however often it does.
    if (order.at(-1) !== "decode") order.push("decode");
    if (text === "tall") throw new Error("dry");
    return text;
  });
  const app = new Elysia().get("/x", ok, {
    query: t.Object({ height: height.Encode(String) }),
    transform: () => void order.push("transform"),
    beforeHandle: () => void order.push("beforeHandle"),
    error: ({ error, set }) => {
      order.push([(error as Error).message, set.status]);
      return "refused";
    },
  });
  await app.handle(new Request("http://localhost/x?height=1"));
  await app.handle(new Request("http://localhost/x?height=tall"));
  expect(order).toEqual(["transform", "decode", "beforeHandle", "transform", "decode", ["dry", 422]]);
});
