/** Routes of plugins in the OpenAPI document: the schemas of their input, of guards, and of the errors that they name. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { Validator } from "@seriousme/openapi-schema-validator";
import { definePlugin, endpoint, elysiaTypes as t } from "lectern/core";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

const about = "A route of the test.";

const florist = definePlugin({
  name: "florist",
  grants: {},
  setup({ app }) {
    app
      .model({ wilted: t.Object({ wilted: t.Boolean() }) })
      .post("/florist/orders", ({ body }) => ({ flower: body.flower }), {
        permit: "access-api",
        body: t.Object({
          flower: t.String({ minLength: 3 }),
          count: t.Numeric({ minimum: 1, error: "At least one" }),
          due: t.Optional(t.Date()),
          colour: t.Union([t.Literal("red"), t.Literal("blue")]),
        }),
        ...endpoint("florist", "order", { about, rules: {} }),
      })
      .get("/florist/flowers/:id", ({ status }) => status(418, { wilted: true }), {
        permit: "access-api",
        params: t.Object({ id: t.Integer({ minimum: 1 }) }),
        headers: t.Object({ "x-shop": t.Optional(t.String()) }),
        response: { 418: "wilted" },
        ...endpoint("florist", "flower", { about }),
      })
      .guard({ query: t.Object({ limit: t.Optional(t.BooleanString()) }) }, (guarded) =>
        guarded.get("/florist/flowers", () => {}, {
          permit: "access-api",
          query: t.Object({ page: t.Integer() }),
          ...endpoint("florist", "flowers", { about }),
        }),
      );
  },
});

interface Operation {
  readonly parameters: { in: string; name: string; required: boolean; schema: { type: string } }[];
  readonly requestBody?: { required: boolean; content: Record<string, { schema: object }> };
  readonly responses: Record<string, object>;
}

let runtime: TestRuntime;
let operation: (method: string, path: string) => Operation | undefined;
beforeAll(async () => {
  runtime = await bootTestRuntime({ extra: [florist] });
  // Elysia changes the schemas of routes that were called.
  await runtime.ask("POST", "/api/florist/orders", { body: { flower: "rose", count: 1, colour: "red" } });
  const { body: document } = await runtime.ask("GET", "/api/openapi.json");
  expect((await new Validator().validate(document)).errors).toBeUndefined();
  expect(document.components.schemas.wilted.properties).toEqual({ wilted: { type: "boolean" } });
  operation = (method, path) => document.paths[path]?.[method];
});
afterAll(() => runtime.stop());

test("a body is described by its schema, with the types that JSON has", () => {
  const { content, required } = operation("post", "/api/florist/orders")?.requestBody ?? {};
  expect([required, content?.["application/json"]?.schema as unknown]).toEqual([
    true,
    {
      type: "object",
      required: ["flower", "count", "colour"],
      properties: {
        flower: { type: "string", minLength: 3 },
        count: { type: "number", minimum: 1 },
        due: { anyOf: [{ type: "string", format: "date-time" }, { type: "number" }] },
        colour: { type: "string", enum: ["red", "blue"] },
      },
    },
  ]);
  expect(Object.keys(operation("post", "/api/florist/orders")?.responses ?? {})).toContain("422");
});

test("parameters are those of the route and its guards", () => {
  const parametersOf = (path: string) =>
    operation("get", path)?.parameters.map((one) => [one.in, one.name, one.required, one.schema.type]);
  expect(parametersOf("/api/florist/flowers/{id}")).toEqual([
    ["header", "x-shop", false, "string"],
    ["path", "id", true, "integer"],
  ]);
  expect(parametersOf("/api/florist/flowers")).toEqual([
    ["query", "page", true, "integer"],
    ["query", "limit", false, "boolean"],
  ]);
});

test("errors that a route names are described, and routes without a schema have a success answer", () => {
  expect(operation("get", "/api/florist/flowers/{id}")?.responses["418"]).toEqual({
    description: "Error",
    content: { "application/json": { schema: { $ref: "#/components/schemas/wilted" } } },
  });
  expect(operation("get", "/api/florist/flowers")?.responses["200"]).toEqual({ description: "Success" });
});

test("requests that come at the same time wait for one OpenAPI document", async () => {
  let reads = 0;
  const counting = definePlugin({
    name: "counting",
    setup({ contribute }) {
      contribute("list_item_schema", {
        get field() {
          reads += 1;
          return "counted";
        },
        schema: { type: "string" },
      });
    },
  });
  const runtime = await bootTestRuntime({ extra: [counting], areShipped: true });
  const before = reads;
  const answers = await Promise.all(Array.from({ length: 10 }, () => runtime.ask("GET", "/api/openapi.json")));
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  expect(reads - before).toBe(1);
  await runtime.stop();
});
