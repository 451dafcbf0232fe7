import { afterAll, beforeAll, expect, test } from "bun:test";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { configSchema } from "../../core/config.ts";
import { createLog } from "../../core/log.ts";
import { readSettings } from "../../core/runtime/settings.ts";
import { type Listening, listen } from "../../core/workers/listen.ts";
import plugins from "../../plugins/mod.ts";
import { scaled } from "../support/harness/machine_speed.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

const DOCS = join(dirname(Bun.resolveSync("bun-types/package.json", import.meta.dir)), "docs");
const folder = mkdtempSync(join(tmpdir(), "lectern-docs-"));
const docs = join(folder, "docs");
/** The rules of a linter: three quarters of the files, which are all alike. */
const LEFT_OUT = "lint";
/** Enough that a book, and a listing of 100 rows, does not have them all. */
const FILES_MIN = 300;
/** For loading them on a slow machine. */
const LOAD_MS = scaled(120_000);
let runtime: TestRuntime;
let listening: Listening;
let files: string[];

beforeAll(async () => {
  // Hundreds of pages go through the whole program: what they cost as roles is not what the test is about.
  runtime = await bootTestRuntime({ env: { PLUGIN_ROLES: "third-party" } });
  const config = readSettings("lectern", configSchema, { PORT: "0" });
  listening = await listen(runtime.runtime, config, createLog("silent"));
  cpSync(DOCS, docs, { recursive: true, filter: (path) => relative(DOCS, path) !== LEFT_OUT });
  files = [...new Bun.Glob("**/*.{md,mdx}").scanSync(docs)];
});
afterAll(async () => {
  await listening.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs the command as an operator would, against the listening server; the lines it printed. */
async function load(): Promise<string[]> {
  const lines: string[] = [];
  const command = plugins.find(({ name }) => name === "loader")?.commands.load;
  const io = {
    out: (line: string) => void lines.push(line),
    err: (line: string) => void lines.push(line),
    env: { LECTERN_TOKEN: runtime.token },
    columns: 80,
    tty: false,
  };
  const url = `http://127.0.0.1:${listening.port}`;
  const code = await command?.run([docs, "--base-url", url, "--state", join(folder, "state.json")], io);
  expect([code, lines.join("\n").includes(runtime.token)]).toEqual([0, false]);
  return lines;
}

test(
  "Bun's own documentation is loaded through the API and read back",
  async () => {
    const lines = (await load()).join("\n");
    expect(files.length).toBeGreaterThan(FILES_MIN);
    expect(lines).toContain(`pages     ${files.length} created, 0 updated, 0 skipped, 0 failed`);
    const { body } = await runtime.ask("GET", "/api/pages?count=1");
    expect(body.total).toBe(files.length);
  },
  LOAD_MS,
);

test("a listing walked by offset shows every page once", async () => {
  const seen = new Set<number>();
  for (let offset = 0; ; offset += 100) {
    const { body } = await runtime.ask("GET", `/api/pages?count=100&offset=${offset}&sort=name`);
    for (const { id } of body.data) seen.add(id);
    if (body.data.length === 0) break;
  }
  expect(seen.size).toBe(files.length);
});

test("a page keeps its headings, its code and its Markdown", async () => {
  const { body: found } = await runtime.ask("GET", "/api/pages?filter[name]=SQLite");
  const { body: page } = await runtime.ask("GET", `/api/pages/${found.data[0].id}`);
  expect(page.html).toMatch(/<h2 id="bkmrk-[^"]+">/);
  expect(page.html).toMatch(/<pre id="bkmrk-[^"]+"><code class="language-ts">/);
  expect(page.html).toContain("bun:sqlite");
  expect(page.markdown).toContain("```ts");
  expect(page.editor).toBe("markdown");
});

test("links between files lead to pages", async () => {
  const { body } = await runtime.ask("GET", "/api/books?count=500");
  const slugs = new Set(body.data.map((book: { slug: string }) => book.slug));
  const linked = await runtime.store.sql<
    { html: string }[]
  >`select html from pages where html like '%href="http://localhost/books/%' limit 50`;
  expect(linked.length).toBe(50);
  for (const { html } of linked) {
    for (const [, slug] of html.matchAll(/href="http:\/\/localhost\/books\/([^/"]+)/g))
      expect(slugs).toContain(slug as string);
  }
});

test(
  "a second run sends nothing but questions",
  async () => {
    const lines = (await load()).join("\n");
    expect(lines).toContain(`pages     0 created, 0 updated, ${files.length} skipped, 0 failed`);
    expect((await runtime.ask("GET", "/api/pages?count=1")).body.total).toBe(files.length);
  },
  LOAD_MS,
);
