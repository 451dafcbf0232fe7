/**
 * What plugins add to screens of others: toolbars, head, footer, account area. Requested as administrator, as a user who may only
 * read, and as a guest.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type AnyPlugin, definePlugin, html } from "lectern/core";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

setDefaultTimeout(180_000);

const folder = mkdtempSync(join(tmpdir(), "lectern-lending-"));
writeFileSync(join(folder, "lending.js"), "console.log('lent');");
writeFileSync(join(folder, "lending.css"), ".lending { color: teal }");

const lending: AnyPlugin = definePlugin({
  name: "lending",
  requires: ["web"],
  setup({ contracts: { web }, contribute, app }) {
    contribute("screen_part", {
      at: "page/toolbar",
      text: "Print <label>",
      icon: "print",
      path: (page) => `/lending/label/${page.id}`,
      order: 60,
    });
    web.icon("lending_hand", '<svg viewBox="0 0 24 24" width="24"><path d="M1 2h3"/></svg>');
    contribute("screen_part", {
      at: "page/toolbar",
      text: "Borrow",
      icon: "lending_hand",
      kind: "form",
      permit: "user",
      path: (page) => (page.name === "Rare" ? undefined : `/lending/${page.id}`),
    });
    contribute("screen_part", {
      at: "page/toolbar",
      text: "Withdraw",
      icon: "delete",
      kind: "dialog",
      permit: "settings-manage",
      isInMenu: true,
      path: (page) => `/lending/withdraw/${page.id}`,
    });
    contribute("screen_part", { at: "page/toolbar", draw: (page) => html`<em>${page.name}</em>` });
    contribute("screen_part", { at: "book/toolbar", text: "Book", icon: "book", path: ({ id }) => `/on/book/${id}` });
    contribute("screen_part", { at: "chapter/toolbar", text: "Ch", icon: "book", path: ({ id }) => `/on/ch/${id}` });
    contribute("screen_part", { at: "shelf/toolbar", text: "Shelf", icon: "book", path: ({ id }) => `/on/sh/${id}` });
    contribute("screen_part", {
      at: "editor/toolbar",
      text: "Ed",
      icon: "book",
      path: ({ about }) => `/on/${about}`,
    });
    contribute("screen_part", {
      at: "editor/formatting",
      draw: () => html`<button type="button" data-before="~~" data-after="~~">S</button>`,
    });
    contribute("screen_part", { at: "chapter/below", draw: ({ name }) => html`<i>below ${name}</i>` });
    contribute("screen_part", { at: "shelf/below", draw: ({ name }) => html`<i>below ${name}</i>` });
    contribute("screen_part", { at: "profile/below", draw: ({ email }) => html`<i>lends to ${email}</i>` });
    contribute("screen_part", {
      at: "screen/footer",
      draw: ({ title, path, status }, { viewer }) =>
        html`<p class="lending">${title} ${path} ${status} ${viewer.name}</p>`,
    });
    contribute("screen_head", {
      scripts: [web.asset("lending.js", join(folder, "lending.js"))],
      styles: [web.asset("lending.css", join(folder, "lending.css"))],
      meta: ({ title }) => ({ robots: "noindex", "og:title": `"${title}"` }),
      links: () => [{ rel: "help", href: "/help", title: "A & B" }],
      css: ({ path }) => (path === "/books" ? ".lending { content: '</style>' }" : undefined),
    });
    contribute("screen_part", {
      at: "statistics/figures",
      label: "Loans",
      path: "/loans",
      order: 60,
      read: async () => 12_345,
    });
    contribute("screen_part", { at: "statistics/figures", label: "Overdue", read: () => "<none>" });
    contribute("screen_part", { at: "system/figures", label: "Shelf space", read: ({ viewer }) => viewer.name });
    contribute("screen_part", { at: "system/figures", label: "Secret", permit: [], read: () => 1 });
    contribute("screen_part", {
      at: "menu/account",
      path: "/my-account/loans",
      text: "Loans",
      icon: "book",
      permit: "user",
    });
    web.screen(app.site, "/my-account/loans", "user", ({ ui }) => ({
      title: ui.t("Loans"),
      body: html`<h1>Loans of ${ui.viewer.name}</h1>`,
    }));
  },
});

let runtime: TestRuntime;
let cookies: { admin: string; reader: string; none: string };
beforeAll(async () => {
  runtime = await bootTestRuntime({ extra: [lending] });
  const made = async (path: string, body: object) => (await runtime.ask("POST", `/api/${path}`, { body })).body.id;
  const book = await made("books", { name: "Atlas" });
  const chapter = await made("chapters", { name: "Europe", book_id: book });
  await made("pages", { name: "Alps <3", chapter_id: chapter, markdown: "x" });
  await made("pages", { name: "Rare", book_id: book, markdown: "x" });
  await made("shelves", { name: "Maps", books: [book] });
  const views = ["book-view-all", "chapter-view-all", "page-view-all", "bookshelf-view-all"];
  const { id } = await runtime.person("Reader", views);
  await runtime.ask("PUT", `/api/users/${id}`, { body: { email: "reader@example.com", password: "long enough" } });
  cookies = {
    admin: await signedIn("admin@example.com", "correct horse battery"),
    reader: await signedIn("reader@example.com", "long enough"),
    none: "",
  };
});
afterAll(async () => {
  await runtime.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function signedIn(email: string, password: string): Promise<string> {
  const { headers } = await runtime.ask("POST", "/api/session", { as: null, body: { email, password } });
  return headers.get("set-cookie")?.split(";")[0] ?? "";
}

const visit = (path: string, who: keyof typeof cookies = "admin") =>
  runtime.ask("GET", path, { as: null, headers: { accept: "text/html", cookie: cookies[who] } });

/** The toolbar of a screen, without icons and line breaks. */
async function toolbarOf(path: string, who: keyof typeof cookies): Promise<string> {
  const { body } = await visit(path, who);
  const [, bar = ""] = /<div class="actions">(.*?)<\/article>/s.exec(body) ?? [];
  return bar.replace(/<svg.*?<\/svg>\s*/gs, "").replaceAll("\n", "");
}

test("a toolbar has the entries that the viewer is admitted to, in their order, and markup, escaped", async () => {
  const page = "/books/atlas/page/alps-3";
  const admin = await toolbarOf(page, "admin");
  expect(admin).toContain(
    '<form class="inline" method="post" action="/lending/1"><button class="small secondary outline"><span>Borrow</span></button></form>',
  );
  expect(admin.indexOf("Borrow")).toBeLessThan(admin.indexOf("Print &lt;label&gt;"));
  expect(admin).toContain('href="/lending/label/1"><span>Print &lt;label&gt;</span></a><em>Alps &lt;3</em>');
  expect(admin).toContain('<li><a href="/lending/withdraw/1" data-dialog>Withdraw</a></li>');
  const reader = await toolbarOf(page, "reader");
  expect([reader.includes("Borrow"), reader.includes("Withdraw"), reader.includes("/edit")]).toEqual([
    true,
    false,
    false,
  ]);
});

test("icons of plugins are drawn, and those that are more than shapes or exist already stop the boot", async () => {
  expect((await visit("/books/atlas/page/alps-3")).body).toContain(
    '<svg class="icon" focusable="false" aria-hidden="true" viewBox="0 0 24 24"><path d="M1 2h3"></path></svg> <span>Borrow</span>',
  );
  const wrong = async (name: string, svg: string) => {
    const odd = definePlugin({
      name: "odd",
      requires: ["web"],
      setup: ({ contracts }) => contracts.web.icon(name, svg),
    });
    return bootTestRuntime({ extra: [lending, odd] }).then(
      () => "",
      (error: Error) => error.message,
    );
  };
  const fine = "<svg></svg>";
  expect(await wrong("lending_hand", fine)).toStartWith(
    'Cannot set up the plugin "odd": Cannot add the icon "lending_hand": another plugin has one of that name',
  );
  expect(await wrong("book", fine)).toContain("Lectern has one of that name");
  expect(await wrong("../book", fine)).toContain("expected a name such as");
  expect(await wrong("odd", "<svg><script>alert(1)</script></svg>")).toContain(
    'Cannot add the icon "odd": The element "script" is not allowed',
  );
});

test("an entry without a path for an item is not offered there", async () => {
  const bar = await toolbarOf("/books/atlas/page/rare", "admin");
  expect([bar.includes("Borrow"), bar.includes("Print")]).toEqual([false, true]);
});

test("books, chapters, shelves and the editor have toolbars", async () => {
  for (const [path, href] of [
    ["/books/atlas", "/on/book/1"],
    ["/books/atlas/chapter/europe", "/on/ch/1"],
    ["/shelves/maps", "/on/sh/1"],
    ["/books/atlas/page/rare/edit", "/on/page/2"],
    ["/books/atlas/create-page", "/on/book/1"],
  ] as const)
    expect([path, (await visit(path)).body.includes(`href="${href}"`)]).toEqual([path, true]);
  const { body } = await visit("/books/atlas/page/rare/edit");
  expect(/<div class="toolbar needs-script".*?<\/div>/s.exec(body)?.[0]).toContain('data-before="~~"');
});

test("chapters, shelves and the profile show the parts of plugins", async () => {
  expect((await visit("/books/atlas/chapter/europe", "reader")).body).toContain("<i>below Europe</i>");
  expect((await visit("/shelves/maps", "reader")).body).toContain("<i>below Maps</i>");
  expect((await visit("/my-account/profile", "reader")).body).toContain("<i>lends to reader@example.com</i>");
});

test("every screen has the head and the footer that plugins add, errors and the sign-in too", async () => {
  for (const [path, who, footer] of [
    ["/books", "reader", "Books /books 200 Reader"],
    ["/books/nowhere", "reader", "Error /books/nowhere 404 Reader"],
    ["/settings/users", "reader", "Error /settings/users 403 Reader"],
    ["/login", "none", "Sign in /login 200 "],
    ["/nowhere", "none", "Error /nowhere 404 "],
  ] as const) {
    const { body } = await visit(path, who);
    expect([path, body]).toEqual([path, expect.stringContaining(`<p class="lending">${footer}`)]);
    const head = body.split("</head>")[0];
    expect(head).toContain('<meta name="robots" content="noindex">');
    expect(head).toContain('<meta property="og:title" content="&quot;');
    expect(head).toContain('<link rel="help" href="/help" title="A &amp; B">');
    expect(head).toMatch(/<link rel="stylesheet" href="\/web\/assets\/lending\.css\?\w+">/);
    expect(head).toMatch(/<script src="\/web\/assets\/lending\.js\?\w+" defer>/);
  }
});

test("CSS of plugins has the nonce of its document, and cannot end its element", async () => {
  const { body, headers } = await visit("/books", "reader");
  const [, nonce = "", css = ""] = /<style nonce="(\w+)">(.*?)<\/style>/s.exec(body) ?? [];
  expect(headers.get("content-security-policy")).toContain(`style-src 'self' 'nonce-${nonce}'`);
  expect(css).toBe(".lending { content: '<\\/style>' }");
  const other = await visit("/shelves", "reader");
  expect(other.body).not.toContain("<style");
  expect(other.headers.get("content-security-policy")).toContain("style-src 'self';");
});

test("files that plugins add to screens are served", async () => {
  const [, src = ""] = /<script src="([^"]*lending[^"]*)"/.exec((await visit("/login", "none")).body) ?? [];
  const file = await runtime.ask("GET", src, { as: null });
  expect([file.status, file.body]).toEqual([200, "console.log('lent');"]);
});

test("a plugin has screens in the account area of users", async () => {
  const { body } = await visit("/my-account/loans", "reader");
  expect(body).toContain("<h1>Loans of Reader</h1>");
  expect(body).toMatch(/<div class="side">.*href="\/my-account\/loans" aria-current="page"/s);
  expect((await visit("/my-account/loans", "none")).headers.get("location")).toStartWith("/login");
});

test("figures of plugins are on the statistics and on the screen of the system, for those who are admitted", async () => {
  const statistics = (await visit("/statistics")).body;
  expect(statistics).toContain(
    '<div><dt>Overdue</dt><dd>&lt;none&gt;</dd></div><div><dt><a href="/loans">Loans</a></dt><dd>12,345</dd></div></dl>',
  );
  const { body } = await runtime.ask("GET", "/statistics", {
    as: null,
    headers: { accept: "text/html", cookie: cookies.admin, "accept-language": "de" },
  });
  expect(body).toContain("<dd>12.345</dd>");
  const system = (await visit("/settings/system")).body;
  expect(system).toContain("<dt>Shelf space</dt><dd>Admin</dd>");
  expect(system).not.toContain("Secret");
});

/** Why the boot with a plugin stops. */
async function failure(setup: Parameters<typeof definePlugin>[0]["setup"]): Promise<string> {
  try {
    await (await bootTestRuntime({ extra: [definePlugin({ name: "odd", setup })] })).stop();
    return "";
  } catch (error) {
    return (error as Error).message;
  }
}

test("scripts of other servers and toolbars that do not exist stop the boot", async () => {
  expect(
    await failure(({ contribute }) => contribute("screen_head", { scripts: ["https://cdn.example.com/x.js"] })),
  ).toContain('Cannot load the script "https://cdn.example.com/x.js" on screens');
  expect(
    await failure(({ contribute }) =>
      // @ts-expect-error There is no such toolbar.
      contribute("screen_part", { at: "pages/toolbar", text: "x", icon: "book", path: () => "/" }),
    ),
  ).toContain('There is no place "pages/toolbar" on screens; did you mean "page/toolbar"?');
});
