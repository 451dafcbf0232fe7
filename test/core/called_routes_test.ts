/** Routes that a plugin which does not ship calls by other methods than GET are named in its grants; contract functions that write are recorded. */
import { expect, test } from "bun:test";
import { type AnyPlugin, definePlugin } from "lectern/core";
import { bootTestRuntime } from "../support/harness/test_runtime.ts";

test("routes that a plugin calls by other methods than GET, and functions that it may call which write, are named", async () => {
  const said: (number | string)[] = [];
  const caller = (grants: AnyPlugin["grants"]) =>
    definePlugin({
      name: "acme",
      requires: ["overrides"],
      events: ["acme_act" as never],
      grants,
      setup: ({ app, callAs, perform }) =>
        void app.post(
          "/acme",
          async ({ viewer }) => {
            const call = async (method: string, path: string) =>
              callAs(viewer, method, path, { input: { name: "Called" } }).then(
                ({ status }) => void said.push(status),
                (error: Error) => void said.push(error.message),
              );
            await call("GET", "/api/books/1");
            await call("PUT", "/api/books/1?again=1");
            await call("PUT", "/api/books/1/../../shelves/1");
            const within = async (draft: never, tx: { callAs: typeof callAs }) => {
              const input = { name: "Within" };
              await tx.callAs(viewer, "PUT", "/api/books/1", { input }).then(
                ({ status }) => void said.push(status),
                (error: Error) => void said.push(error.message),
              );
              return draft;
            };
            await perform("acme_act" as never, viewer, {} as never, within as never);
            return {};
          },
          { permit: "access-api" },
        ),
    });
  const outcomes = async (grants: AnyPlugin["grants"]) => {
    const runtime = await bootTestRuntime({ extra: [caller(grants)] });
    await runtime.ask("POST", "/api/books", { body: { name: "First" } });
    await runtime.ask("POST", "/api/acme");
    const { recorded } = runtime.runtime.booted.find(({ plugin: { name } }) => name === "acme") ?? {};
    await runtime.stop();
    expect(recorded?.writes).toEqual(["overrides.replace"]);
    return said.splice(0);
  };
  const refused = (path: string, line: string) =>
    `The plugin "acme" calls PUT ${path}, which it does not declare; add to its grants: impersonate: ${line}, with the names of its parameters`;
  const shelf = "/api/books/1/../../shelves/1";
  expect(await outcomes({})).toEqual([
    200,
    refused("/api/books/1?again=1", '["PUT /api/books/1?again=1"]'),
    refused(shelf, `["PUT ${shelf}"]`),
    refused("/api/books/1", '["PUT /api/books/1"]'),
  ]);
  const named = "PUT /api/books/:id";
  expect(await outcomes({ impersonate: [named] })).toEqual([
    200,
    200,
    refused(shelf, `["${named}", "PUT ${shelf}"]`),
    200,
  ]);
  expect(await outcomes({ impersonate: true })).toEqual([200, 200, 404, 200]);
});
