/** `app-url`: a former address is replaced wherever texts have it, and nothing else changes. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { sql } from "lectern/core";
import { rows } from "lectern/db";
import addressChange from "../../plugins/operations/address_change/plugin.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

const OLD = "http://wiki.test:8080";
const NEW = "https://docs.example.com/wiki";

let runtime: TestRuntime;
beforeAll(async () => {
  runtime = await bootTestRuntime({ env: { APP_URL: NEW } });
});
afterAll(() => runtime.stop());

const make = async (segment: string, body: object) => (await runtime.ask("POST", `/api/${segment}`, { body })).body;
const read = async (path: string) => (await runtime.ask("GET", path)).body;

/** Runs the command in the context of a runtime. */
async function run(...args: string[]): Promise<{ code: number | undefined; text: string }> {
  const lines: string[] = [];
  const say = (line: string) => void lines.push(line);
  const io = { out: say, err: say, env: {}, columns: 80, tty: false };
  const code = await addressChange.commands["app-url"]?.run(args, io, runtime.contexts.get("address_change"));
  return { code, text: lines.join("\n") };
}

/** Every row of a table as text, without the columns whose texts follow. */
async function rest(table: string, ...columns: string[]): Promise<unknown[]> {
  const left = sql.join(columns.map((column) => sql`${column}::text`));
  return rows(
    runtime.db,
    sql`select to_jsonb(t) - array[${left}]::text[] as row from ${sql.table(table)} t order by id`,
  );
}

test("texts, revisions, drafts, comments, descriptions and attachments follow, and nothing else changes", async () => {
  const link = (path: string) => `<a href="${OLD}${path}">x</a>`;
  const shelf = await make("shelves", { name: "All", description_html: `<p>${link("/books/runbooks")}</p>` });
  const book = await make("books", { name: "Runbooks", description: `See ${OLD}/shelves/all.` });
  const chapter = await make("chapters", {
    book_id: book.id,
    name: "C",
    description_html: `<p>${link("/link/1")}</p>`,
  });
  const others = "http://wiki.test:80801/x http://wiki.test:8080.evil.test/x http://wiki.test/x";
  const page = await make("pages", {
    book_id: book.id,
    name: "Failover",
    markdown: `# Zebra\n\n[all](${OLD}/books/runbooks) <${OLD}> ${OLD}. ${OLD}/quagga ${others}`,
  });
  await runtime.ask("PUT", `/api/pages/${page.id}`, {
    body: { markdown: `[all](${OLD}/books/runbooks) ${OLD}/quagga ${others}` },
  });
  const including = await make("pages", { book_id: book.id, name: "Including", html: `<p>{{@${page.id}}}</p>` });
  const comment = await make("comments", { page_id: page.id, markdown: `[all](${OLD}/books)` });
  const attachment = await make("attachments", { uploaded_to: page.id, name: "a", link: `${OLD}/api/docs` });
  await rows(
    runtime.db,
    sql`insert into page_drafts (user_id, kind, item_id, slot, name, html, markdown, tags)
      values (1, 'page', ${page.id}::integer, '', 'd', ${link("/a")}::text, '', '[]')`,
  );
  expect((await read(`/api/pages/${including.id}`)).html).toContain(OLD);
  expect((await read(`/api/search?query=quagga`)).total).toBeGreaterThan(0);
  const state = async () => ({
    pages: await rest("pages", "html", "markdown", "text", "rendered"),
    revisions: await rest("page_revisions", "html", "markdown", "text"),
    books: await rest("books", "description", "description_html"),
    comments: await rest("comments", "html", "markdown"),
    webhooks: await rest("webhook_events"),
  });
  const webhook = await make("webhooks", { name: "w", endpoint: "https://example.com/", events: ["all"] });
  expect(webhook.id).toBeGreaterThan(0);
  const before = await state();
  const logged = async () => (await read("/api/audit-log?sort=-id&count=1&filter[type]=maintenance_action_run")).total;

  const dry = await run(OLD, NEW, "--dry-run");
  expect([dry.code, dry.text]).toEqual([0, expect.stringContaining("9 in all; nothing was changed")]);
  expect((await read(`/api/pages/${page.id}`)).markdown).toContain(OLD);
  expect(await logged()).toBe(0);

  const { code, text } = await run(`${OLD}/`, NEW);
  expect([code, text]).toEqual([
    0,
    `shelves      1
books        1
chapters     1
pages        1
revisions    2
drafts       1
comments     1
attachments  1
9 in all changed from "${OLD}" to "${NEW}"`,
  ]);
  expect(await state()).toEqual(before);
  expect(await logged()).toBe(1);
  const shown = await read(`/api/pages/${page.id}`);
  expect(shown.markdown).toBe(`[all](${NEW}/books/runbooks) ${NEW}/quagga ${others}`);
  for (const field of ["html", "raw_html"]) expect(shown[field]).toContain(`href="${NEW}/books/runbooks"`);
  expect((await read(`/api/pages/${including.id}`)).html).toContain(`${NEW}/quagga`);
  const stored = JSON.stringify([
    await read(`/api/shelves/${shelf.id}`),
    await read(`/api/books/${book.id}`),
    await read(`/api/chapters/${chapter.id}`),
    await read(`/api/comments/${comment.id}`),
    await read(`/api/attachments/${attachment.id}`),
    await rows(runtime.db, sql`select html, markdown, text from page_revisions`),
    await rows(runtime.db, sql`select html from page_drafts`),
  ]);
  expect(stored).not.toContain(OLD.concat("/"));
  // The words of the new address are found, and links follow their item from now on.
  expect((await read("/api/search?query=%22docs.example.com%2Fwiki%2Fquagga%22")).total).toBe(1);
  await runtime.ask("PUT", `/api/books/${book.id}`, { body: { name: "Handbook" } });
  expect((await read(`/api/pages/${page.id}`)).markdown).toContain(`${NEW}/books/handbook`);
  expect((await run(OLD, NEW)).text).toContain("0 in all changed");
  expect(await logged()).toBe(1);
});

test("a run that ends before its row of the audit log leaves rows, so that the next one logs", async () => {
  const [old, now] = ["http://cut.test", "http://uncut.test"];
  const book = await make("books", { name: "Cut", description: `${old}/a` });
  const page = await make("pages", { book_id: book.id, name: "Cut", html: `<p>${old}/b</p>` });
  await make("comments", { page_id: page.id, html: `<p>${old}/c</p>` });
  const logged = async () =>
    (await rows(runtime.db, sql`select from activities where detail = ${`app-url: ${old} to ${now}`}::text`)).length;
  await sql`alter table activities add constraint ended check (detail not like 'app-url:%') not valid`.execute(
    runtime.db,
  );
  await expect(run(old, now)).rejects.toThrow("ended");
  await sql`alter table activities drop constraint ended`.execute(runtime.db);
  expect([await logged(), (await run(old, now)).text]).toEqual([0, expect.stringContaining("1 in all changed")]);
  expect([await logged(), (await run(old, now)).text]).toEqual([1, expect.stringContaining("0 in all changed")]);
});

test("a new address that begins with the old one is not lengthened again by a further run", async () => {
  const book = await make("books", {
    name: "B",
    description: "https://one.test/a https://one.test/kb https://one.test/kbs",
  });
  for (const count of [1, 0])
    expect((await run("https://one.test", "https://one.test/kb")).text).toContain(`${count} in all changed`);
  expect((await read(`/api/books/${book.id}`)).description).toBe(
    "https://one.test/kb/a https://one.test/kb https://one.test/kb/kbs",
  );
});

test("links follow their item as before where the command runs with another address than the new one", async () => {
  const book = await make("books", { name: "Target" });
  const page = await make("pages", {
    book_id: book.id,
    name: "From",
    html: `<p><a href="${NEW}/books/target">x</a></p>`,
  });
  const { text } = await run(NEW, "https://new.test");
  expect(text).toContain(`APP_URL is "${NEW}" here`);
  await run("https://new.test", NEW);
  await runtime.ask("PUT", `/api/books/${book.id}`, { body: { name: "Elsewhere" } });
  expect((await read(`/api/pages/${page.id}`)).html).toContain(`${NEW}/books/elsewhere`);
});

test("what is no address is refused before anything is read", async () => {
  for (const args of [
    [OLD],
    [OLD, OLD],
    [OLD, "ftp://x"],
    [OLD, `${NEW}?x=1`],
    ["wiki.test", NEW],
    [OLD, NEW, "--force"],
  ])
    expect(await run(...args)).toEqual({ code: 2, text: expect.stringContaining('Cannot run "app-url"') });
});

test("doctor names texts with an address that the instance was served at before", async () => {
  const check = runtime.contexts
    .get("address_change")
    ?.slot("self_check")
    .find(({ name }) => name === "address_change/former");
  await rows(runtime.db, sql`insert into served_addresses (url) values ('http://before.test'), (${NEW})`);
  expect(await check?.check()).toMatchObject({ status: "ok" });
  await make("books", { name: "Late", description: "http://before.test/books" });
  expect(await check?.check()).toMatchObject({
    status: "warning",
    count: 1,
    examples: ['books with "http://before.test": 1'],
  });
  await run("http://before.test", NEW);
  expect(await check?.check()).toMatchObject({ status: "ok" });
});
