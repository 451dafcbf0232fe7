/** Headers that are kept have nothing of another reader's request, whatever a theme says that they follow from. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { type AnyPlugin, definePlugin, html } from "lectern/core";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

setDefaultTimeout(180_000);

/** A header of which rows of an item are named, though a header is of none. */
const header: AnyPlugin = definePlugin({
  name: "header",
  grants: { read: ["books"] },
  setup({ contribute }) {
    for (const name of ["layout/header", "layout/footer"])
      contribute("view_replacement", {
        name,
        dependsOn: [{ table: "books", column: "id" }],
        draw:
          ({ next }) =>
          (frame: never) => {
            const { notice, scheme, title } = frame as Record<"notice" | "scheme" | "title", string>;
            return html`<b class="shown">${name}: ${title}, ${notice}, ${scheme}</b>${next(frame)}`;
          },
      });
  },
});

let server: TestRuntime;
beforeAll(async () => {
  server = await bootTestRuntime({ extra: [header] });
  await server.runtime.start();
  for (const name of ["Runbooks", "Secrets"]) await server.ask("POST", "/api/books", { body: { name } });
});
afterAll(() => server.stop());

test("a header and a footer with a column have the title, the notice and the scheme of their request", async () => {
  const body = { email: "admin@example.com", password: "correct horse battery" };
  const { headers } = await server.ask("POST", "/api/session", { as: null, body });
  const session = headers.get("set-cookie")?.split(";")[0] ?? "";
  const shown = async (path: string, more: string) => {
    const request = new Request(`http://localhost${path}`, {
      headers: { accept: "text/html", cookie: session + more },
    });
    const text = await (await server.runtime.http.handle(request, "127.0.0.1")).text();
    return [...text.matchAll(/<b class="shown">(.*?)<\/b>/g)].map(([, each]) => each);
  };
  const both = (rest: string) => [`layout/header: ${rest}`, `layout/footer: ${rest}`];
  for (let turn = 0; turn < 3; turn++) {
    expect(await shown("/books/secrets", "; lectern_notice=Saved; lectern_scheme=dark")).toEqual(
      both("Secrets, Saved, dark"),
    );
    expect(await shown("/books/runbooks", "")).toEqual(both("Runbooks, , "));
  }
});
