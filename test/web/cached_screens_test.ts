/** Screens of items that are cached: no statement is made for them, and nobody can change what is cached. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { type AnyPlugin, definePlugin, html } from "lectern/core";
import { statementsOf } from "../support/harness/query_plans.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

setDefaultTimeout(60_000);

const PAGE = "/books/runbooks/page/failover";

/** What a part of a screen tried with the page that it got. */
const tried: string[] = [];

const changing: AnyPlugin = definePlugin({
  name: "changing",
  setup({ contribute }) {
    contribute("screen_part", {
      at: "reading/page/after",
      order: 50,
      draw({ page, book }) {
        for (const change of [
          () => Object.assign(page, { name: "Changed" }),
          () => Object.assign(page.comments, { active: [] }),
          () => Object.assign(book, { outline: "" }),
        ])
          try {
            change();
            tried.push("changed");
          } catch {
            tried.push("refused");
          }
        return html``;
      },
    });
  },
});

let runtime: TestRuntime;
let cookie = "";
let page = 0;
beforeAll(async () => {
  runtime = await bootTestRuntime({ extra: [changing] });
  await runtime.runtime.start();
  const made = async (path: string, body: object) => (await runtime.ask("POST", `/api/${path}`, { body })).body.id;
  const book = await made("books", { name: "Runbooks" });
  const chapter = await made("chapters", { name: "Disks", book_id: book });
  page = await made("pages", { name: "Failover", chapter_id: chapter, markdown: "# Call\n\nthe DBA – now" });
  await made("attachments", { name: "Manual", uploaded_to: page, link: "https://example.com/manual" });
  const body = { email: "admin@example.com", password: "correct horse battery" };
  const { headers } = await runtime.ask("POST", "/api/session", { as: null, body });
  cookie = headers.get("set-cookie")?.split(";")[0] ?? "";
});
afterAll(() => runtime.stop());

const visit = (path: string) => runtime.ask("GET", path, { as: null, headers: { accept: "text/html", cookie } });

/** The fewest statements of some visits, as schedules send others meanwhile. */
async function statementsAt(path: string): Promise<string[]> {
  const sent = [];
  for (let run = 0; run < 4; run++) sent.push((await statementsOf(runtime, () => visit(path))).map(({ text }) => text));
  return sent.sort((a, b) => a.length - b.length)[0] ?? [];
}

test.each([PAGE, "/books/runbooks", "/books/runbooks/chapter/disks"])(
  "the screen %p asks the store nothing",
  async (path) => {
    expect((await visit(path)).status).toBe(200);
    expect(await statementsAt(path)).toEqual([]);
  },
);

test("a part of a screen cannot change what is cached", async () => {
  await visit(PAGE);
  tried.length = 0;
  await visit(PAGE);
  expect(tried).toEqual(["refused", "refused", "refused"]);
  expect((await runtime.ask("GET", `/api/pages/${page}`)).body.name).toBe("Failover");
});
