/** Hooks, errors and parsers of a plugin as Elysia's documentation writes them, and what the boot refuses of them. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Elysia } from "elysia";
import { definePlugin, elysiaTypes as t } from "lectern/core";
import { FEW } from "../support/harness/few_plugins.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";
import { until } from "../support/harness/until.ts";

class Wilted extends Error {
  toResponse() {
    return Response.json({ wilted: this.message }, { status: 410 });
  }
}

const open = { permit: "public" } as const;
const closed = { permit: "access-api" } as const;
const seen: string[] = [];
const told: unknown[] = [];

const gardener = definePlugin({
  name: "gardener",
  setup({ app }) {
    // The permit of the guard must not get into the options that the routes below share.
    app.guard(closed, (guarded) => guarded.get("/gardener/fence", () => "fence", open));
    app.group("/gardener/shed", (shed) => shed.guard(closed).get("/spade", () => "spade", open));
    app.group("/gardener/house", closed, (house) => house.get("/door", () => "door", { permit: "settings-manage" }));
    app
      .get(
        "/gardener/refused",
        ({ status }) => {
          throw status(409, { refused: true });
        },
        open,
      )
      .get(
        "/gardener/wilted",
        () => {
          throw new Wilted("roses");
        },
        open,
      )
      .get(
        "/gardener/own",
        () => {
          throw new Error("dry");
        },
        { ...open, error: ({ error }) => ({ own: (error as Error).message }) },
      )
      .get(
        "/gardener/passed",
        () => {
          throw new Error("dry");
        },
        { ...open, error: () => void seen.push("error") },
      )
      .get("/gardener/mapped", () => ({ roses: 3 }), {
        ...closed,
        mapResponse: ({ responseValue }) => new Response(`got ${JSON.stringify(responseValue)}`),
      })
      .get(
        "/gardener/header",
        ({ set }) => {
          set.headers["x-roses"] = "red\nblue";
          return { roses: 3 };
        },
        open,
      )
      .get("/gardener/told", () => ({ roses: 3 }), {
        ...open,
        afterResponse: ({ responseValue }) => void told.push(responseValue),
      })
      .get("/gardener/returned", () => new Error("dry") as never, open)
      .get("/gardener/constant", "roses", open)
      .get(
        "/gardener/nothing",
        () => {
          throw undefined;
        },
        open,
      )
      .get(
        "/gardener/growing",
        async function* () {
          for (;;) {
            yield "leaf";
            await Bun.sleep(1);
          }
        },
        open,
      )
      .get("/gardener/stream", () => new Response(endless()), open)
      .post("/gardener/json", ({ body }) => ({ body }), { ...open, parse: "json" })
      .post("/gardener/text", ({ body }) => ({ body }), { ...closed, parse: "text" })
      .parser("petals", async ({ request }) => ({ petals: (await request.text()).split(" ") }))
      .post("/gardener/petals", ({ body }) => ({ body: body as object }), { ...open, parse: "petals" })
      .get(
        "/gardener/counted",
        ({ query, set }) => {
          set.status = 422;
          throw new Error(`${query.roses} roses`);
        },
        { ...open, query: t.Object({ roses: t.Numeric() }) },
      )
      .post("/gardener/read", ({ body }) => ({ body: body as object }), {
        ...closed,
        parse: () => void seen.push("parse"),
      });
    app.guard({ response: t.Object({ roses: t.Number() }) }, (guarded) =>
      guarded.get("/gardener/guarded", () => ({ roses: 3 }), open),
    );
    // The routes of this instance share the list that the permit is appended to.
    const shared = new Elysia({ prefix: "/gardener/shared" })
      .derive(() => ({ tool: "spade" }))
      .get("/closed", ({ tool }) => tool, closed as object)
      .get("/open", ({ tool }) => tool, open as object);
    app.use(shared).use(async (later) => {
      await Bun.sleep(1);
      return later.get("/gardener/later", () => "later", open);
    });
  },
});

function endless(): ReadableStream {
  return new ReadableStream({
    async pull(controller) {
      await Bun.sleep(10);
      controller.enqueue(new Uint8Array(10));
    },
  });
}

let runtime: TestRuntime;
beforeAll(async () => {
  runtime = await bootTestRuntime({ extra: [gardener] });
});
afterAll(() => runtime.stop());

const ask = (method: string, name: string, options: Parameters<TestRuntime["ask"]>[2] = {}) =>
  runtime.ask(method, `/api/gardener/${name}`, { as: null, ...options });

describe("what a route throws", () => {
  test("is its answer, where Elysia's documentation says so", async () => {
    const refused = await ask("GET", "refused");
    expect([refused.status, refused.body]).toEqual([409, { refused: true }]);
    const wilted = await ask("GET", "wilted");
    expect([wilted.status, wilted.body]).toEqual([410, { wilted: "roses" }]);
    expect(wilted.headers.get("x-request-id")).not.toBeNull();
  });

  test("goes to the error handler of the plugin first", async () => {
    const own = await ask("GET", "own");
    expect([own.status, own.body]).toEqual([500, { own: "dry" }]);
    seen.length = 0;
    const passed = await ask("GET", "passed");
    expect([passed.status, passed.body, seen]).toEqual([
      500,
      { error: { message: "An error occurred", code: 500 } },
      ["error"],
    ]);
  });

  test("is a failure of the route once its schemas have judged the input, whatever status it has set", async () => {
    expect((await ask("GET", "counted?roses=3")).status).toBe(500);
    expect((await ask("GET", "counted?roses=red")).status).toBe(422);
  });

  test("is answered 500 where Elysia itself fails, over HTTP and within the process", async () => {
    for (const name of ["header", "nothing", "returned"]) {
      const { status, body } = await ask("GET", name);
      expect([name, status, body.error.code]).toEqual([name, 500, 500]);
      const viewer = { id: 1, name: "Admin", slug: "", roles: [], permissions: new Set(), admin: true, via: "token" };
      const call = await runtime.runtime.http.callAs(viewer as never, "GET", `/api/gardener/${name}`);
      expect([name, call.status]).toEqual([name, 500]);
    }
  });
});

test("a constant is answered as what a handler returns", async () => {
  // Bun adds the content type of a text when it sends it.
  using server = Bun.serve({ port: 0, fetch: (request) => runtime.runtime.http.handle(request, "127.0.0.1") });
  const answer = await fetch(new URL("/api/gardener/constant", server.url));
  expect([await answer.text(), answer.headers.get("content-type")]).toEqual(["roses", "text/plain;charset=utf-8"]);
});

test("mapResponse is not called for errors", async () => {
  expect((await ask("GET", "mapped")).status).toBe(401);
  const mapped = await runtime.ask("GET", "/api/gardener/mapped");
  expect([mapped.status, mapped.body]).toEqual([200, 'got {"roses":3}']);
});

test("afterResponse finds what the handler returned", async () => {
  const answer = await ask("GET", "told");
  // Elysia calls it in a later turn of the event loop.
  await until(() => told.length > 0);
  expect([answer.body, answer.headers.get("content-type"), told]).toEqual([
    { roses: 3 },
    "application/json",
    [{ roses: 3 }],
  ]);
});

test("parsers of a route get the bodies that are left unread, after the permit was checked", async () => {
  const json = { "content-type": "application/json" };
  const text = { "content-type": "text/plain" };
  expect((await ask("POST", "json", { body: '{"roses":3}', headers: json })).body).toEqual({ body: { roses: 3 } });
  const read = await runtime.ask("POST", "/api/gardener/text", { body: "roses", headers: text });
  expect([read.status, read.body]).toEqual([200, { body: "roses" }]);
  const parsed = await runtime.ask("POST", "/api/gardener/text", { body: '{"roses":3}', headers: json });
  expect([parsed.status, parsed.body]).toEqual([200, { body: { roses: 3 } }]);
  const petals = await ask("POST", "petals", { body: "red blue", headers: text });
  expect(petals.body).toEqual({ body: { petals: ["red", "blue"] } });
  seen.length = 0;
  expect((await ask("POST", "read", { body: "roses", headers: text })).status).toBe(401);
  expect(seen).toEqual([]);
});

test("a HEAD of a stream that does not end is answered without its length", async () => {
  for (const name of ["growing", "stream"]) {
    const { status, headers } = await ask("HEAD", name);
    expect([name, status, headers.get("content-length")]).toEqual([name, 200, null]);
  }
});

test("routes of other instances, promised ones too, are those of the plugin, each with its own permit", async () => {
  expect((await ask("GET", "shared/closed")).status).toBe(401);
  expect([(await ask("GET", "shared/open")).body, (await ask("GET", "later")).body]).toEqual(["spade", "later"]);
});

test("a guard and its route are both checked, and the narrower permit is that of the route", async () => {
  const permits = ["fence", "house/door", "shared/open"].map(
    (name) => runtime.runtime.http.routes().find(({ path }) => path === `/api/gardener/${name}`)?.permit,
  );
  expect(permits).toEqual(["access-api", "settings-manage", "public"]);
  expect((await ask("GET", "fence")).status).toBe(401);
  expect((await ask("GET", "shed/spade")).status).toBe(401);
  const { token } = await runtime.person("neighbour", ["access-api"]);
  expect((await ask("GET", "fence", { as: token })).body).toBe("fence");
  expect((await ask("GET", "house/door", { as: token })).status).toBe(403);
});

test("the schema of answers of a guard changes no answer, as that of a route", async () => {
  const guarded = runtime.runtime.http.routes().find(({ path }) => path === "/api/gardener/guarded");
  expect(guarded?.response?.[200]?.type).toBe("object");
  expect((await ask("GET", "guarded")).body).toEqual({ roses: 3 });
});

describe("the boot refuses", () => {
  const boot = async (...setups: Parameters<typeof definePlugin>[0]["setup"][]) => {
    try {
      const extra = setups.map((setup, index) => definePlugin({ name: `weeds${index}`, setup }));
      await (await bootTestRuntime({ extra, beside: runtime, only: FEW })).stop();
      return "booted";
    } catch (error) {
      return (error as Error).message;
    }
  };

  test("the schema of a guard that would apply to other plugins", async () => {
    expect(await boot(({ app }) => void app.guard({ as: "scoped", query: t.Object({ z: t.String() }) }))).toContain(
      'its "guard" would apply',
    );
  });

  test("a model of the name of another plugin's, unless it is the same", async () => {
    const model = (count: typeof t.Number | typeof t.String) => {
      return ({ app }: { app: { model(models: object): unknown } }) =>
        void app.model({ order: t.Object({ n: count() }) });
    };
    expect(await boot(model(t.Number), model(t.String))).toContain('its model "order" would be that of another plugin');
    expect(await boot(model(t.Number), model(t.Number))).toBe("booted");
  });

  test("routes that would never be called", async () => {
    expect(await boot(({ app }) => void app.head("/weeds", () => "", open))).toContain("a HEAD is answered as the GET");
    expect(await boot(({ app }) => void app.ws("/weeds", { ...open, message() {} }))).toContain("acceptWebSocket()");
  });

  test("a route that needs two permissions", async () => {
    const refusal = await boot(
      ({ app }) =>
        void app.guard({ permit: "users-manage" }, (guarded) =>
          guarded.get("/weeds", () => "", { permit: "settings-manage" }),
        ),
    );
    expect(refusal).toContain('by two permissions, "settings-manage" and "users-manage"');
  });

  test("routes that cannot be loaded", async () => {
    const missing = () => Promise.reject(new Error("no such module"));
    expect(await boot(({ app }) => void app.use(missing()))).toContain("no such module");
  });
});
