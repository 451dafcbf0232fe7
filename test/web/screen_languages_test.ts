/**
 * Screens in the languages that ship: every text of a screen with content is there in German and in French. The rule
 * test/rules/languages_test.ts reads texts in the code; this test finds those that are data, such as the phrases of events,
 * which the API answers in English and screens translate.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Texts } from "lectern/core";
import german from "../../plugins/operations/languages/de.json" with { type: "json" };
import french from "../../plugins/operations/languages/fr.json" with { type: "json" };
import { installed, sampleHosts } from "../support/data/sample_hosts.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

setDefaultTimeout(120_000);
const CATALOGUES: Readonly<Record<string, Readonly<Record<string, unknown>>>> = { de: german, fr: french };
/** Words of paths, which are the same in any language. */
const NAMES: Readonly<Record<string, string>> = { book: "book", chapter: "chapter", page: "page", shelf: "shelf" };
const FILTERS = ["", "?query=e&page=2", "?state=failed&status=pending&wanting=reboot&q=o"];

let runtime: TestRuntime;
let cookie = "";
/** Texts that were used for the current request. */
let usedTexts = new Map<string, string>();

beforeAll(async () => {
  runtime = await bootTestRuntime();
  // Screens say their texts by the context of the plugin of their frame.
  const texts = runtime.contexts.get("web")?.texts as { -readonly [Name in keyof Texts]: Texts[Name] };
  const { say } = texts;
  texts.say = (text, params, language = "en") => {
    usedTexts.set(text, language);
    return say(text, params, language);
  };
  await fill();
  const { headers } = await runtime.ask("POST", "/api/session", {
    as: null,
    body: { email: "admin@example.com", password: "correct horse battery" },
  });
  cookie = headers.get("set-cookie")?.split(";")[0] ?? "";
});
afterAll(() => runtime.stop());

/** One of everything, so that lists have rows and screens have details. */
async function fill(): Promise<void> {
  const make = async (path: string, body: unknown) => (await runtime.ask("POST", path, { body })).body.id as number;
  const book = await make("/api/books", { name: "Book", tags: [{ name: "Tag", value: "1" }] });
  const chapter = await make("/api/chapters", { name: "Chapter", book_id: book });
  const page = await make("/api/pages", { name: "Page", chapter_id: chapter, markdown: "# One\n\n## Two" });
  await make("/api/shelves", { name: "Shelf", books: [book] });
  await runtime.ask("PUT", `/api/pages/${page}`, { body: { markdown: "# Three" } });
  await make("/api/comments", { page_id: page, html: "<p>Hello</p>" });
  await make("/api/attachments", { name: "Link", link: "https://example.com", uploaded_to: page });
  for (const name of ["Gone", "Going"])
    await runtime.ask("DELETE", `/api/books/${await make("/api/books", { name: `${name} book` })}`);
  await make("/api/v1/dashboard/keys", { token_name: "Board" });
  await make("/api/v1/dashboard/keys", { token_name: "Script", integration_type: "enrolment" });
  await make("/api/webhooks", { name: "All", endpoint: "https://example.com", events: ["all"], active: false });
  await make("/api/webhooks", { name: "One", endpoint: "https://example.com", events: ["book_create"], active: false });
  const dashboard = sampleHosts(runtime);
  await dashboard.host("Pending");
  const host = await dashboard.host("Reporting");
  const repositories = [{ name: "main", url: "https://deb.example.org", distribution: "stable", components: "main" }];
  await dashboard.report(host, {
    ...{ osType: "Debian", osVersion: "12", hostname: "web", needsReboot: true, repositories },
    packages: [installed("bash", "old"), installed("openssl", "risk"), installed("zlib")],
  });
  await runtime.person("Reader", ["page-view-all"]);
}

/** Paths of every screen, with names and numbers of what there is. */
const paths = () =>
  runtime.runtime.http
    .routes()
    .filter(({ method, detail }) => method === "GET" && detail["x-screen"] !== undefined)
    .flatMap(({ path }) =>
      (path.includes(":") ? ["1", "2", "3"] : ["1"]).map((id) =>
        path.replace(/:(\w+)/g, (_, name: string) => NAMES[name] ?? id),
      ),
    );

for (const [language, catalogue] of Object.entries(CATALOGUES))
  test(`no screen says a text that is missing in ${language}`, async () => {
    const missing = new Set<string>();
    const seen = new Set<string>();
    let shown = 0;
    for (const path of paths())
      for (const query of FILTERS) {
        usedTexts = new Map();
        const headers = { accept: "text/html", cookie, "accept-language": language };
        const request = new Request(`http://localhost${path}${query}`, { headers });
        const { status } = await runtime.runtime.http.handle(request, "127.0.0.1");
        expect([path, status < 500]).toEqual([path, true]);
        // A 404 has a text with the address in it; the rule checks those in the code.
        if (status >= 400) continue;
        shown++;
        for (const [text, spoken] of usedTexts) {
          seen.add(text);
          if (spoken === language && !(text in catalogue)) missing.add(`${path}: ${text}`);
        }
      }
    expect(shown).toBeGreaterThan(150);
    // Texts of data are among them, so that nothing above passed without rows.
    for (const text of ["created page", "Reads tables", "Pending", "never", "yes"])
      expect([text, seen.has(text)]).toEqual([text, true]);
    expect([...missing]).toEqual([]);
  });
