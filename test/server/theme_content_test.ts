/** Themes that change content where it is stored, shown and exported. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { scaled } from "../support/harness/machine_speed.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

setDefaultTimeout(scaled(60_000));
const CORE = JSON.stringify(join(import.meta.dir, "../../core/mod.ts"));
const folder = mkdtempSync(join(tmpdir(), "lectern-themes-"));
let runtime: TestRuntime;

beforeAll(async () => {
  mkdirSync(join(folder, "content"));
  writeFileSync(
    join(folder, "content/functions.ts"),
    `import { defineTheme } from ${CORE};
    export default defineTheme(({ listen }) => {
      listen("app_boot", () => {});
      listen("page_content_post_render", (html, page) => html + "<p>Shown " + page.id + "</p>");
      listen("page_include_parse", (reference, html, page, referenced) =>
        reference.endsWith("-skip") ? undefined
          : "<b>" + [reference, html, page.id, referenced?.id ?? "nobody"].join("|") + "</b><script>bad()</script>");
      listen("commonmark_environment_configure", (marked) => {
        marked.use({ renderer: { hr: () => "<hr class=\\"fancy\\">\\n" } });
      });
      listen("commonmark_environment_configure", (marked) => marked.use({ hooks: { preprocess: (text) => text.replaceAll("(c)", "©") } }));
    });`,
  );
  runtime = await bootTestRuntime({
    env: { APP_THEME: "content" },
    choices: { settings: { themes: { folder } } },
  });
});
afterAll(async () => {
  await runtime.stop();
  rmSync(folder, { recursive: true, force: true });
});

const make = async (segment: string, body: object) => (await runtime.ask("POST", `/api/${segment}`, { body })).body;

test("include tags, Markdown and what is shown are a theme's to change, in answers and exports", async () => {
  const book = await make("books", { name: "Told" });
  const source = await make("pages", {
    book_id: book.id,
    name: "Source",
    html: '<p id="bkmrk-skip">Skipped</p><p id="bkmrk-a">Part</p>',
  });
  const html = `<p>See {{@${source.id}#bkmrk-a}} and {{@999999}} and {{@${source.id}#bkmrk-skip}}</p>`;
  const page = await make("pages", { book_id: book.id, name: "Page", html });
  const shown = (await runtime.ask("GET", `/api/pages/${page.id}`)).body.html;
  expect(shown).toContain(
    `<b>${source.id}#bkmrk-a|Part|${page.id}|${source.id}</b> and <b>999999||${page.id}|nobody</b>`,
  );
  expect(shown).toContain("and Skipped</p>");
  expect(shown).not.toContain("bad()");
  expect(shown).toEndWith(`<p>Shown ${page.id}</p>`);
  const exported = async (format: string) =>
    String((await runtime.ask("GET", `/api/pages/${page.id}/export/${format}`)).body);
  for (const format of ["html", "plaintext", "markdown"]) expect(await exported(format)).toContain(`Shown ${page.id}`);
  const whole = await runtime.ask("GET", `/api/books/${book.id}/export/html`);
  expect(String(whole.body)).toContain(`Shown ${source.id}`);
  expect(String(whole.body)).toContain(`Shown ${page.id}`);
});

test("Markdown is converted as the theme wants it, and elsewhere as ever", async () => {
  const book = await make("books", { name: "Marked" });
  const page = await make("pages", { book_id: book.id, name: "Page", markdown: "(c) *Us*\n\n---\n" });
  expect(page.raw_html).toContain("© <em>Us</em>");
  expect(page.raw_html).toContain('<hr class="fancy"');
  const plain = await bootTestRuntime();
  const other = (await plain.ask("POST", "/api/books", { body: { name: "Plain" } })).body;
  const body = { book_id: other.id, name: "Page", markdown: "(c)\n\n---\n" };
  const { raw_html } = (await plain.ask("POST", "/api/pages", { body })).body;
  expect(raw_html).toContain("(c)");
  expect(raw_html).not.toContain("fancy");
  await plain.stop();
});
