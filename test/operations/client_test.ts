/**
 * What programs get from the OpenAPI document: openapi-typescript makes types of it, by which the compiler accepts a client that
 * reads fields that are there, and rejects one that misspells them. `lectern/client` gets them when it is packed.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "lectern/client";
import { clientTypes, servedDocument } from "../../.ci/client_types.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

setDefaultTimeout(120_000);
const ROOT = join(import.meta.dir, "../..");
const READS = [
  `(await client.GET("/api/books/{id}", { params: { path: { id: 1 } } })).data?.id satisfies number | undefined;`,
  `(await client.GET("/api/pages/{id}", { params: { path: { id: 1 } } })).data?.html satisfies string | undefined;`,
  `(await client.GET("/api/books")).data?.data[0]?.name satisfies string | undefined;`,
  `(await client.GET("/api/v1/dashboard/stats")).data?.total_hosts satisfies number | undefined;`,
];
const MISSPELT = [/\.id\b/, /\.html/, /\.name/, /\.total_hosts/];

let runtime: TestRuntime;
let types: string;
beforeAll(async () => {
  runtime = await bootTestRuntime();
  types = await clientTypes(await servedDocument(runtime));
});
afterAll(() => runtime.stop());

/** The errors of a program, one a line. */
async function compile(lines: readonly string[]): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), "lectern-client-"));
  try {
    writeFileSync(join(folder, "api.d.ts"), types);
    writeFileSync(
      join(folder, "program.ts"),
      [
        `import createClient from "${ROOT}/node_modules/openapi-fetch/dist/index.mjs";`,
        `import type { paths } from "./api.d.ts";`,
        `const client = createClient<paths>({ baseUrl: "http://localhost" });`,
        ...lines,
      ].join("\n"),
    );
    const tsconfig = {
      extends: join(ROOT, "tsconfig.json"),
      compilerOptions: { types: [], paths: {} },
      files: ["program.ts"],
      include: [],
    };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(tsconfig));
    const tsc = Bun.spawn([process.execPath, "x", "tsc", "--noEmit", "-p", folder], { cwd: ROOT, stdout: "pipe" });
    const said = await new Response(tsc.stdout).text();
    return said.split("\n").filter((line) => line.includes("error TS"));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

test("types of openapi-typescript let a client read books, pages, listings and statistics, and no misspelt field", async () => {
  expect(await compile(READS)).toEqual([]);
  const misspelt = READS.map((line, at) => line.replace(MISSPELT[at] as RegExp, "$&x"));
  const errors = await compile(misspelt);
  expect(errors.map((error) => /Property '(\w+)' does not exist/.exec(error)?.[1])).toEqual([
    "idx",
    "htmlx",
    "namex",
    "total_hostsx",
  ]);
});

test("lectern/client sends its token, fills in paths and queries, and tells answers from errors", async () => {
  const client = createClient({
    baseUrl: `${runtime.baseUrl}/`,
    token: runtime.token,
    fetch: async (request) => runtime.runtime.http.handle(request, "127.0.0.1"),
  });
  const { data: book } = await client.POST("/api/books", { body: { name: "Runbooks" } });
  const { data: read } = await client.GET("/api/books/{id}", { params: { path: { id: book?.id ?? 0 } } });
  expect(read).toMatchObject({ name: "Runbooks", contents: [], created_by: { id: 1 } });
  const query = { filter: { name: "Runbooks" }, count: 1, sort: "-id" };
  const { data: list } = await client.GET("/api/books", { params: { query } });
  expect(list).toMatchObject({ data: [{ name: "Runbooks" }], total: 1 });
  const { error, response } = await client.GET("/api/books/{id}", { params: { path: { id: 999_999 } } });
  expect([response.status, error?.error.message]).toEqual([404, "Book not found"]);
});
