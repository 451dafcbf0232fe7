/**
 * What browsers, search engines and programs that show links find on a public instance below a path, and what they do not learn of what
 * visitors may not view.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

const APP_URL = "https://docs.example.com/wiki";
const LOOKS = { accept: "text/html" };

let runtime: TestRuntime;
let closed: TestRuntime;
beforeAll(async () => {
  runtime = await bootTestRuntime({ env: { APP_URL, APP_PUBLIC: "true", APP_NAME: "Wiki & Co" } });
  closed = await bootTestRuntime();
  const make = async (path: string, body: object) => (await runtime.ask("POST", path, { body })).body.id as number;
  const book = await make("/api/books", { name: "Open", description: 'What everybody "may" read' });
  const hidden = await make("/api/books", { name: "Salaries", description: "Secret" });
  const html = `<p>Call the <b>DBA</b> &amp; wait.</p><p><img src="${APP_URL}/uploads/images/plan.png" alt=""></p>`;
  await make("/api/pages", { book_id: book, name: "Failover", html });
  await make("/api/pages", { book_id: hidden, name: "Ada", html: "<p>Much.</p>" });
  const nobody = {
    fallback_permissions: { inheriting: false, view: false, create: false, update: false, delete: false },
  };
  await runtime.ask("PUT", `/api/content-permissions/book/${hidden}`, { body: nobody });
  const { data } = (await runtime.ask("GET", "/api/roles?filter[system_name]=public")).body;
  const permissions = ["access-api", "book-view-all", "page-view-all", "chapter-view-all", "bookshelf-view-all"];
  await runtime.ask("PUT", `/api/roles/${data[0]?.id ?? 4}`, { body: { permissions } });
});
afterAll(async () => {
  await runtime.stop();
  await closed.stop();
});

const visit = (path: string, at = runtime) => at.ask("GET", path, { as: null, headers: LOOKS });
const choose = (body: object) => runtime.ask("PUT", "/api/discovery", { body });

test("browsers find icons, the manifest and the search, below the path of the instance", async () => {
  for (const [path, type] of [
    ["/favicon.ico", "image/x-icon"],
    ["/icon_192.png", "image/png"],
    ["/icon_512.png", "image/png"],
  ] as const) {
    const { status, headers } = await visit(path);
    expect([path, status, headers.get("content-type")]).toEqual([path, 200, type]);
    expect(headers.get("cache-control")).toContain("max-age");
  }
  const { body: manifest } = await visit("/manifest.json");
  expect(typeof manifest === "string" ? JSON.parse(manifest) : manifest).toMatchObject({
    name: "Wiki & Co",
    start_url: "/wiki/",
    scope: "/wiki/",
    icons: [{ src: "/wiki/icon_192.png" }, { src: "/wiki/icon_512.png" }],
  });
  const { body: search } = await visit("/opensearch.xml");
  expect(search).toContain("<ShortName>Wiki &amp; Co</ShortName>");
  expect(search).toContain(`template="${APP_URL}/search?query={searchTerms}"`);
  const { body: screen } = await visit("/login");
  expect(screen).toContain('<link rel="manifest" href="/wiki/manifest.json">');
  expect(screen).toContain(
    '<link rel="search" href="/wiki/opensearch.xml" type="application/opensearchdescription+xml" title="Wiki &amp; Co">',
  );
});

test("robots.txt lets search engines read where visitors may, and as administrators choose", async () => {
  expect((await visit("/robots.txt")).body).toBe("User-agent: *\nDisallow:\n");
  expect((await visit("/robots.txt", closed)).body).toBe("User-agent: *\nDisallow: /\n");
  expect((await choose({ robots: "refuse" })).body).toEqual({ robots: "refuse", sitemap: false });
  expect((await visit("/robots.txt")).body).toBe("User-agent: *\nDisallow: /wiki/\n");
  await choose({ robots: "auto", sitemap: true });
  expect((await visit("/robots.txt")).body).toBe(`User-agent: *\nDisallow:\nSitemap: ${APP_URL}/sitemap.xml\n`);
  expect((await choose({ robots: "perhaps" })).status).toBe(422);
  await choose({ sitemap: false });
});

test("the sitemap lists what visitors may view where it is chosen, at once when that changes, and else is not found", async () => {
  const missing = await runtime.ask("GET", "/sitemap.xml", { as: null });
  expect(missing.status).toBe(404);
  await closed.ask("PUT", "/api/discovery", { body: { sitemap: true } });
  expect((await closed.ask("GET", "/sitemap.xml", { as: null })).status).toBe(404);
  await choose({ sitemap: true });
  const { body: index } = await visit("/sitemap.xml");
  expect([...index.matchAll(/<loc>([^<]*)/g)].map(([, address]) => address)).toEqual([
    `${APP_URL}/sitemap/book-0.xml`,
    `${APP_URL}/sitemap/page-0.xml`,
  ]);
  const addresses = async () =>
    [...(await visit("/sitemap/page-0.xml")).body.matchAll(/<loc>([^<]*)/g)].map(([, address]) => address);
  expect(await addresses()).toEqual([`${APP_URL}/books/open/page/failover`]);
  const none = await Promise.all(
    ["page-1.xml", "chapter-0.xml", "recipe-0.xml", "page-99999.xml", "page.xml"].map(async (name) => {
      const { status, body } = await runtime.ask("GET", `/sitemap/${name}`, { as: null });
      return [status, body.error.message];
    }),
  );
  expect(new Set(none.map(String))).toEqual(new Set([`404,${missing.body.error.message}`]));
  const { data } = (await runtime.ask("GET", "/api/books?filter[name]=Open")).body;
  const nobody = {
    fallback_permissions: { inheriting: false, view: false, create: false, update: false, delete: false },
  };
  await runtime.ask("PUT", `/api/content-permissions/book/${data[0].id}`, { body: nobody });
  expect((await runtime.ask("GET", "/sitemap/page-0.xml", { as: null })).status).toBe(404);
  await runtime.ask("PUT", `/api/content-permissions/book/${data[0].id}`, {
    body: { fallback_permissions: { inheriting: true } },
  });
  expect(await addresses()).toHaveLength(1);
});

test("a link shows title, begin and picture of what visitors may view, and nothing of anything else", async () => {
  const { body: page } = await visit("/books/open/page/failover");
  for (const [name, content] of [
    ["og:title", "Failover"],
    ["og:site_name", "Wiki &amp; Co"],
    ["og:description", "Call the DBA &amp; wait."],
    ["og:image", `${APP_URL}/uploads/images/plan.png`],
    ["og:url", `${APP_URL}/books/open/page/failover`],
  ])
    expect(page).toContain(`<meta property="${name}" content="${content}">`);
  expect((await visit("/books/open")).body).toContain('content="What everybody &quot;may&quot; read"');
  // A page that there is not and one that visitors may not view answer the same, but for the address itself.
  const shown = async (path: string, at = runtime) => {
    const { status, body, headers } = await visit(path, at);
    return [
      status,
      headers.get("location")?.replaceAll(encodeURIComponent(path), "…"),
      String(body).replaceAll(path, "…"),
    ];
  };
  const hidden = await shown("/books/salaries/page/ada");
  expect(hidden).toEqual(await shown("/books/salariez/page/ada"));
  expect(String(hidden)).not.toContain("og:");
  expect(await shown("/books/salaries/page/ada", closed)).toEqual(await shown("/books/nothing/page/ada", closed));
  const signedIn = await runtime.person("Ann", ["access-api", "book-view-all", "page-view-all"]);
  expect((await runtime.ask("GET", "/api/discovery", { as: signedIn.token })).status).toBe(403);
});
