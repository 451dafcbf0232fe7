/** Routes as Elysia's documentation writes them, from the view of a plugin's author: schemas, hooks and answers. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { definePlugin, endpoint, isUpload, elysiaTypes as t, type Viewer } from "lectern/core";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

const about = "A route of the test.";
const order: string[] = [];

function centimetres(text: string): number {
  if (!text.endsWith("cm")) throw new Error("Expected a height in cm");
  return Number.parseInt(text, 10);
}

/** A schema of another library (standardschema.dev). */
const seeds = {
  "~standard": {
    version: 1,
    vendor: "test",
    validate: (value: { kind?: unknown }) =>
      typeof value.kind === "string" ? { value } : { issues: [{ message: "Expected a kind", path: ["kind"] }] },
  },
};

const florist = definePlugin({
  name: "florist",
  setup({ app }) {
    app
      .derive(({ viewer }) => {
        order.push("derive");
        return { greeting: `Hello ${viewer.name}` };
      })
      .resolve(({ greeting }) => ({ loud: greeting.toUpperCase() }))
      .get("/florist/greeting", ({ greeting, loud }) => ({ greeting, loud }), {
        permit: "access-api",
        beforeHandle({ query, status }) {
          order.push("beforeHandle");
          return query.closed === "yes" ? status(409, { closed: true }) : undefined;
        },
        afterHandle({ set }) {
          order.push("afterHandle");
          set.headers["x-after"] = "1";
        },
        ...endpoint("florist", "greeting", { about }),
      })
      .get("/florist/text", () => ({ roses: 3 }), {
        permit: "public",
        mapResponse: ({ responseValue }) => new Response(`got ${JSON.stringify(responseValue)}`),
        ...endpoint("florist", "text", { about }),
      })
      .post(
        "/florist/orders",
        ({ body, set }) => {
          const { flower, count, tags = [] } = body;
          set.status = 201;
          return { flower: flower.length, count: count + 1, tags };
        },
        {
          permit: "access-api",
          body: t.Object({
            flower: t.String({ minLength: 3 }),
            count: t.Numeric({ minimum: 1, error: "At least one" }),
            tags: t.Optional(t.Array(t.Object({ name: t.String() }))),
          }),
          ...endpoint("florist", "order", { about, rules: {} }),
        },
      )
      .post(
        "/florist/cards",
        ({ body }) => ({ body: body as object, file: isUpload((body as { picture?: unknown }).picture as never) }),
        {
          permit: "public",
          ...endpoint("florist", "card", { about, rules: {} }),
        },
      )
      .get(
        "/florist/flowers/:id",
        ({ params, query, nestedQuery, headers, cookie }) => ({
          id: params.id + 1,
          limit: query.limit,
          nested: nestedQuery,
          shop: headers["x-shop"],
          basket: cookie.basket.value,
        }),
        {
          permit: "public",
          params: t.Object({ id: t.Integer({ minimum: 1 }) }),
          query: t.Object({ limit: t.Optional(t.Integer()) }, { additionalProperties: true }),
          headers: t.Object({ "x-shop": t.Optional(t.String()) }),
          cookie: t.Cookie({ basket: t.Optional(t.String()) }),
          ...endpoint("florist", "flower", { about }),
        },
      )
      .get("/florist/wilted", ({ status }) => status(418, { wilted: true }), {
        permit: "public",
        ...endpoint("florist", "w", { about }),
      })
      .get(
        "/florist/thrown",
        ({ status }) => {
          throw status(410, "Sold out");
        },
        { permit: "public", ...endpoint("florist", "t", { about }) },
      )
      .get("/florist/moved", ({ redirect }) => redirect("/api/florist/text"), {
        permit: "public",
        ...endpoint("florist", "m", { about }),
      })
      .get(
        "/florist/basket",
        ({ cookie: { basket } }) => {
          basket?.set({ value: "roses", path: "/" });
          return { filled: true };
        },
        { permit: "public", ...endpoint("florist", "b", { about }) },
      )
      .get("/florist/rows", () => Rows.of({ id: 1 }), { permit: "public", ...endpoint("florist", "r", { about }) })
      .post("/florist/vases", ({ body }) => ({ height: body.height }), {
        permit: "public",
        body: t.Object({ height: t.Transform(t.String()).Decode(centimetres).Encode(String) }),
        ...endpoint("florist", "vase", { about, rules: {} }),
      })
      .post("/florist/soil", ({ body }) => ({ litres: body.litres }), {
        permit: "public",
        body: t.Object({
          litres: t.Number({ error: ({ property }) => `${property} is no number` }),
        }),
        ...endpoint("florist", "soil", { about, rules: {} }),
      })
      .post("/florist/seeds", ({ body }) => body, {
        permit: "public",
        body: seeds as never,
        ...endpoint("florist", "seeds", { about, rules: {} }),
      })
      .get("/florist/nothing", () => {}, { permit: "public", ...endpoint("florist", "n", { about }) });
    app.guard({ body: t.Object({ flower: t.String() }) }, (guarded) =>
      guarded.put("/florist/orders", ({ body }) => body, {
        permit: "access-api",
        transform: () => void order.push("transform"),
        ...endpoint("florist", "orders", { about, rules: {} }),
      }),
    );
  },
});

const ADMIN: Viewer = {
  id: 1,
  name: "Admin",
  slug: "admin",
  roles: [1],
  permissions: new Set(),
  admin: true,
  via: "token",
};

/** A list of a class of its own, as rows of a statement are. */
class Rows extends Array<object> {}

let runtime: TestRuntime;
beforeAll(async () => {
  runtime = await bootTestRuntime({ extra: [florist] });
});
afterAll(() => runtime.stop());

const invalid = (validation: object) => ({
  error: { message: "The given data was invalid.", validation, code: 422 },
});

describe("a schema of the body", () => {
  test("types and converts JSON, forms and multipart forms, as Lectern parses them", async () => {
    const wanted = { flower: 4, count: 3, tags: [{ name: "red" }] };
    const json = await runtime.ask("POST", "/api/florist/orders", {
      body: { flower: " Rose ", count: 2, tags: [{ name: "red", more: 1 }] },
    });
    expect([json.status, json.body]).toEqual([201, wanted]);
    const form = { flower: "Rose", count: "2", "tags[0][name]": "red" };
    const urlencoded = await runtime.ask("POST", "/api/florist/orders", { form });
    expect([urlencoded.status, urlencoded.body]).toEqual([201, wanted]);
    const parts = new FormData();
    for (const [name, value] of Object.entries(form)) parts.set(name, value);
    const multipart = await runtime.ask("POST", "/api/florist/orders", { parts });
    expect([multipart.status, multipart.body]).toEqual([201, wanted]);
  });

  test("answers 422 with the errors by field, in the one shape of errors", async () => {
    const { status, body } = await runtime.ask("POST", "/api/florist/orders", {
      body: { flower: "R", count: 0, tags: [{ name: 1 }, {}] },
    });
    expect([status, body]).toEqual([
      422,
      invalid({
        flower: ["Expected string length greater or equal to 3"],
        count: ["At least one"],
        "tags.0.name": ["Expected string"],
        "tags.1.name": ["Expected string"],
      }),
    ]);
    const empty = await runtime.ask("POST", "/api/florist/orders");
    expect([empty.status, Object.keys(empty.body.error.validation).toSorted()]).toEqual([422, ["count", "flower"]]);
  });

  test("answers 422 where it converts, has a message of its own, or is one of another library", async () => {
    const post = async (name: string, body: object) =>
      (await runtime.ask("POST", `/api/florist/${name}`, { as: null, body })).body;
    expect(await post("vases", { height: "30 cm" })).toEqual({ height: 30 });
    expect(await post("vases", { height: "tall" })).toEqual(invalid({ input: ["Expected a height in cm"] }));
    expect(await post("soil", { litres: "much" })).toEqual(invalid({ litres: ["/litres is no number"] }));
    expect(await post("seeds", { kind: "rose" })).toEqual({ kind: "rose" });
    expect(await post("seeds", {})).toEqual(invalid({ kind: ["Expected a kind"] }));
  });

  test("of a guard applies too, and an override of the method leads to it", async () => {
    const answer = await runtime.ask("POST", "/api/florist/orders", { body: { _method: "put", flower: "Rose" } });
    expect([answer.status, answer.body]).toEqual([200, { flower: "Rose" }]);
    const { status, body } = await runtime.ask("PUT", "/api/florist/orders", { body: {} });
    expect([status, body]).toEqual([422, invalid({ flower: ["Expected string"] })]);
  });

  test("is judged after the permit: 401 and 403 come before 422, and before the plugin's own hooks", async () => {
    order.length = 0;
    expect((await runtime.ask("POST", "/api/florist/orders", { as: null, body: {} })).status).toBe(401);
    expect((await runtime.ask("PUT", "/api/florist/orders", { as: "no:token", body: {} })).status).toBe(401);
    expect((await runtime.ask("GET", "/api/florist/greeting", { as: null })).status).toBe(401);
    expect(order).toEqual([]);
    expect(
      (await runtime.ask("POST", "/api/florist/orders", { body: "{", headers: { "content-type": "application/json" } }))
        .status,
    ).toBe(400);
  });

  test("is judged for calls within the process", async () => {
    const call = (input: object) =>
      runtime.runtime.http.callAs(ADMIN, "POST", "/api/florist/orders", { input: input as never });
    expect((await call({ flower: "Rose", count: 1 })).status).toBe(201);
    expect((await call({ flower: "Rose" })).status).toBe(422);
  });
});

test("a route without a schema finds the parsed body, with its files", async () => {
  const form = new FormData();
  form.set("to", "Ann");
  form.set("lines[]", "one");
  form.set("picture", new File(["x"], "x.png"));
  const { body } = await runtime.ask("POST", "/api/florist/cards", { as: null, parts: form });
  expect([body.body.to, body.body.lines, body.file]).toEqual(["Ann", ["one"], true]);
});

test("schemas of params, query, headers and cookies convert, and refuse by field", async () => {
  const headers = { "x-shop": "Kew", cookie: "basket=roses" };
  const path = "/api/florist/flowers/7?limit=5&filter[name]=x";
  const { status, body } = await runtime.ask("GET", path, { as: null, headers });
  const nested = { limit: "5", filter: { name: "x" } };
  expect([status, body]).toEqual([200, { id: 8, limit: 5, nested, shop: "Kew", basket: "roses" }]);
  const wrong = await runtime.ask("GET", "/api/florist/flowers/seven", { as: null });
  expect([wrong.status, Object.keys(wrong.body.error.validation)]).toEqual([422, ["id"]]);
  const limit = await runtime.ask("GET", "/api/florist/flowers/7?limit=x", { as: null });
  expect([limit.status, Object.keys(limit.body.error.validation)]).toEqual([422, ["limit"]]);
});

test("derive, resolve, beforeHandle, afterHandle and mapResponse of a plugin work, in their order", async () => {
  order.length = 0;
  const answer = await runtime.ask("GET", "/api/florist/greeting");
  expect([answer.body, answer.headers.get("x-after")]).toEqual([{ greeting: "Hello Admin", loud: "HELLO ADMIN" }, "1"]);
  expect(order).toEqual(["derive", "beforeHandle", "afterHandle"]);
  const closed = await runtime.ask("GET", "/api/florist/greeting?closed=yes");
  expect([closed.status, closed.body]).toEqual([409, { closed: true }]);
  const text = await runtime.ask("GET", "/api/florist/text", { as: null });
  expect([text.status, text.body]).toEqual([200, 'got {"roses":3}']);
});

test("what Elysia's helpers answer has the default headers and one shape of errors", async () => {
  const answers: [string, number, unknown][] = [
    ["wilted", 418, { wilted: true }],
    ["thrown", 410, { error: { message: "Sold out", code: 410 } }],
    ["rows", 200, [{ id: 1 }]],
    ["basket", 200, { filled: true }],
  ];
  for (const [name, status, body] of answers) {
    const answer = await runtime.ask("GET", `/api/florist/${name}`, { as: null });
    expect([name, answer.status, answer.body]).toEqual([name, status, body]);
    expect(answer.headers.get("content-type")).toBe("application/json");
    expect(answer.headers.get("cache-control")).toBe("no-cache, no-store, private");
    expect(answer.headers.get("x-ratelimit-limit")).not.toBeNull();
    if (name === "basket") expect(answer.headers.get("set-cookie")).toBe("basket=roses; Path=/");
  }
  const moved = await runtime.ask("GET", "/api/florist/moved", { as: null });
  expect([moved.status, moved.headers.get("location")]).toEqual([302, "/api/florist/text"]);
  const nothing = await runtime.ask("GET", "/api/florist/nothing", { as: null });
  expect([nothing.status, nothing.body]).toEqual([200, ""]);
});

describe("the boot refuses", () => {
  const boot = async (setup: Parameters<typeof definePlugin>[0]["setup"]) => {
    try {
      await (await bootTestRuntime({ extra: [definePlugin({ name: "weeds", setup })] })).stop();
      return "booted";
    } catch (error) {
      return (error as Error).message;
    }
  };

  test("headers of all answers", async () => {
    expect(await boot(({ app }) => void app.headers({ "x-powered-by": "weeds" }))).toContain(
      'its "headers" would apply',
    );
  });

  test("a schema that names no model", async () => {
    const flower = { permit: "access-api", body: "flower" } as const;
    expect(await boot(({ app }) => void app.post("/weeds", () => "", flower as object))).toContain(
      'its schema "flower" is not a model of the plugin',
    );
  });

  test("a member of the context that another plugin has added", async () => {
    const add = (clock: string) => definePlugin({ name: clock, setup: ({ app }) => void app.decorate("clock", clock) });
    await expect(bootTestRuntime({ extra: [add("sundial"), add("hourglass")] })).rejects.toThrow(
      'its "clock" would be that of another plugin',
    );
  });
});
