import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Validator } from "@seriousme/openapi-schema-validator";
import { version } from "../../package.json" with { type: "json" };
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

let runtime: TestRuntime;
beforeAll(async () => {
  runtime = await bootTestRuntime();
});
afterAll(() => runtime.stop());

describe("docs.json", () => {
  test("describes every route but the documentation's own files", async () => {
    const { body } = await runtime.ask("GET", "/api/docs.json");
    const listed = Object.values(body as Record<string, { method: string; uri: string }[]>).flat();
    const shown = new Set(listed.map(({ method, uri }) => `${method} /${uri.replace(/\{(\w+)\}/g, ":$1")}`));
    const routes = runtime.runtime.http
      .routes()
      .filter(({ path }) => path.startsWith("/api/") && path !== "/api/" && path !== "/api/docs/assets/:file");
    expect(routes.map(({ method, path }) => `${method} ${path}`).filter((route) => !shown.has(route))).toEqual([]);
  });

  test("spells names in kebab case", async () => {
    const groups = (await runtime.ask("GET", "/api/docs.json")).body as Record<string, Record<string, string>[]>;
    const endpoints = Object.values(groups).flat();
    expect(endpoints.filter(({ name = "" }) => /[A-Z_]/.test(name))).toEqual([]);
    expect(endpoints.find(({ name }) => name === "users-list-tokens")).toMatchObject({
      controller_method: "listTokens",
      controller_method_kebab: "list-tokens",
    });
  });

  test("prints rules in the notation of the specification, and null where there are none", async () => {
    const { body } = await runtime.ask("GET", "/api/docs.json");
    const create = body.books.find(({ name }: { name: string }) => name === "books-create");
    expect(create.body_params.name).toEqual(["required", "string", "max:255"]);
    expect(create.controller_method_kebab).toBe("create");
    expect(body.books.find(({ name }: { name: string }) => name === "books-read").body_params).toBeNull();
    expect(body.docs.map(({ name }: { name: string }) => name).slice(0, 2)).toEqual(["docs-display", "docs-json"]);
  });
});

test("openapi.json is a valid OpenAPI document with an operation for every endpoint", async () => {
  const { body } = await runtime.ask("GET", "/api/openapi.json");
  const result = await new Validator().validate(structuredClone(body));
  expect(result.errors).toBeUndefined();
  expect(result.valid).toBe(true);
  expect(body.info.version).toBe(version);
  expect(body.info.description).toContain("`Lectern-Stale: replica`");
  expect(body.paths["/api/pages/{id}"].put.requestBody.content["application/json"].schema.properties.name).toEqual({
    type: "string",
    minLength: 1,
    maxLength: 255,
    pattern: "\\S",
  });
  expect(body.paths["/api/pages"].get.parameters.map(({ name }: { name: string }) => name)).toEqual([
    "count",
    "offset",
    "sort",
    "filter",
  ]);
});

test("every operation has its parameters, bodies, answers with schemas, errors and credentials", async () => {
  const { body } = await runtime.ask("GET", "/api/openapi.json");
  const routes = runtime.runtime.http.routes().filter(({ detail }) => "x-facts" in detail);
  expect(
    routes.filter(({ response }) => response === undefined).map(({ method, path }) => `${method} ${path}`),
  ).toEqual([]);
  for (const { method, path, permit, detail } of routes) {
    const operation = body.paths[path.replace(/:(\w+)/g, "{$1}")]?.[method.toLowerCase()];
    const facts = detail["x-facts"] as { rules?: object; errors?: number[] };
    const { errors, ...lacking } = lackingIn(operation, body);
    const told = facts.errors?.map(String) ?? [];
    expect(told.filter((status) => operation.responses[status] === undefined)).toEqual([]);
    const found = { route: `${method} ${path}`, ...lacking, errors: errors.filter((status) => !told.includes(status)) };
    expect(found).toEqual({
      route: `${method} ${path}`,
      parameters: [...path.matchAll(/:(\w+)/g)].map(([, name]) => name),
      answersWithoutSchema: [],
      errors: [
        ...(method === "GET" ? [] : ["400"]),
        ...(permit === "public" ? [] : ["401", "403"]),
        ...(method === "GET" ? [] : ["413"]),
        ...["429", "503", "default"],
      ],
      hasBody: method !== "GET" && Object.keys(facts.rules ?? {}).length > 0,
      isPublic: permit === "public",
    });
  }
  expect(Object.keys(body.components.schemas).filter((name) => /\d$/.test(name))).toEqual([]);
});

// biome-ignore lint/suspicious/noExplicitAny: documents are JSON of many shapes
function lackingIn(operation: any, document: any) {
  const { parameters, responses, requestBody, security = document.security } = operation;
  const isSuccess = (status: string) => /^[12]/.test(status);
  // biome-ignore lint/suspicious/noExplicitAny: documents are JSON of many shapes
  const withoutSchema = ([status, { content = {} }]: [string, any]) =>
    isSuccess(status) &&
    status !== "204" &&
    status !== "101" &&
    // biome-ignore lint/suspicious/noExplicitAny: documents are JSON of many shapes
    (Object.keys(content).length === 0 || Object.values<any>(content).some(({ schema }) => schema === undefined));
  const errors = Object.keys(responses).filter((status) => !isSuccess(status));
  return {
    parameters: parameters.filter((one: { in: string }) => one.in === "path").map((one: { name: string }) => one.name),
    answersWithoutSchema: Object.entries(responses).filter(withoutSchema as never),
    errors: errors.filter((status) => !["404", "422"].includes(status)),
    hasBody: requestBody !== undefined,
    isPublic: security.length === 0,
  };
}

describe("the page of the API", () => {
  test("lists endpoints and loads nothing from elsewhere", async () => {
    for (const path of ["/api/docs", "/api/docs/try"]) {
      const { status, headers, body } = await runtime.ask("GET", path);
      expect([status, headers.get("content-type")]).toEqual([200, "text/html; charset=UTF-8"]);
      const loaded = [...(body as string).matchAll(/(?:src|<link[^>]*href)="([^"]+)"/g)].map(
        ([, url]) => url as string,
      );
      expect(loaded.splice(0, 1)).toEqual(["data:,"]);
      expect(loaded.length).toBeGreaterThan(0);
      for (const url of loaded) {
        // From the host that the page came from, whatever its name.
        expect(url).toStartWith("/api/docs/assets/");
        expect((await runtime.ask("GET", url, { as: null })).status).toBe(200);
      }
    }
    expect((await runtime.ask("GET", "/api/docs")).body).toContain("api/books/{id}");
  });

  test("needs a token unless the operator opens it", async () => {
    expect((await runtime.ask("GET", "/api/docs", { as: null })).status).toBe(401);
    const open = await bootTestRuntime({ env: { API_DOCS_PUBLIC: "true" } });
    expect((await open.ask("GET", "/api/docs", { as: null })).status).toBe(200);
    expect((await open.ask("GET", "/api/books", { as: null })).status).toBe(401);
    await open.stop();
  });

  test("serves no other file", async () => {
    for (const file of ["plugin.ts", "..%2Fplugin.ts", "constructor", "package.json"]) {
      expect((await runtime.ask("GET", `/api/docs/assets/${file}`, { as: null })).status).toBe(404);
    }
  });
});

test("GET /api leads to the page of the API", async () => {
  const { status, headers } = await runtime.ask("GET", "/api", { as: null });
  expect([status, headers.get("location")]).toEqual([302, `${runtime.baseUrl}/api/docs`]);
});
