/**
 * How screens are laid out on a phone, a tablet and a desk: the header in one row, the text of a page near the top, its contents beside it,
 * what floats on phones. In light, dark and forced colours, by keyboard and without scripts.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { definePlugin } from "lectern/core";
import type { Page } from "playwright-core";
import { errorsOf, openScreens, picture, type ScreenRuntime } from "../support/harness/screens.ts";

setDefaultTimeout(60_000);
const PAGE = "/books/runbooks/page/failover";
const SECTIONS = Array.from(
  { length: 12 },
  (_, at) =>
    `<h${2 + (at % 2)} id="bkmrk-s${at}">Section ${at}</h${2 + (at % 2)}><p>${"Say what you do. ".repeat(40)}</p>`,
).join("");
const HTML = `<p>Call the DBA.</p>${SECTIONS}<pre><code class="language-bash"># promote
pg_ctl promote
</code></pre>`;
/** Widths and heights of windows. */
const WINDOWS = { phone: [390, 844], tablet: [820, 1180], desk: [1440, 900] } as const;

let screens: ScreenRuntime;
beforeAll(async () => {
  const hebrew = definePlugin({
    name: "hebrew",
    texts: { he: { Books: "ספרים", "On this page": "בעמוד זה" } },
    setup() {},
  });
  screens = await openScreens({ extra: [hebrew] });
  const make = async (path: string, body: object) => (await screens.runtime.ask("POST", path, { body })).body;
  const book = await make("/api/books", { name: "Runbooks" });
  const chapter = await make("/api/chapters", { book_id: book.id, name: "Database" });
  const page = await make("/api/pages", { chapter_id: chapter.id, name: "Failover", html: HTML });
  for (const name of ["People", "Money", "Law", "Security"]) await make("/api/books", { name });
  await make("/api/shelves", { name: "Operations", books: [book.id] });
  await make("/api/comments", { page_id: page.id, html: "<p>Which one?</p>" });
});
afterAll(() => screens.stop());

async function open(window: keyof typeof WINDOWS, look: Parameters<ScreenRuntime["visit"]>[1] = {}): Promise<Page> {
  const page = await screens.visit(undefined, { size: window === "phone" ? "phone" : "desktop", ...look });
  const [width, height] = WINDOWS[window];
  await page.setViewportSize({ width, height });
  return page;
}

/** Waits until the focus is on an element that is seen. */
async function focusOn(page: Page, selector: string): Promise<void> {
  await page
    .locator(
      `${selector
        .split(",")
        .map((each) => `${each.trim()}:focus`)
        .join()}`,
    )
    .waitFor();
}

async function boxOf(page: Page, selector: string) {
  const box = await page.locator(selector).first().boundingBox();
  if (!box) throw new Error(`Cannot find "${selector}"`);
  return box;
}

test("the header is one row of 56 pixels, and a page begins near the top, on every window", async () => {
  for (const [window, lowest] of [
    ["phone", 345],
    ["tablet", 345],
    ["desk", 260],
  ] as const) {
    const page = await open(window);
    for (const path of ["/", PAGE, "/books/runbooks", "/settings/users"]) {
      await page.goto(path);
      expect([window, path, (await boxOf(page, "header.top")).height]).toEqual([window, path, 56]);
    }
    await page.goto(PAGE);
    expect([window, await errorsOf(page)]).toEqual([window, []]);
    await picture(page, `layout-page-${window}`);
    expect((await boxOf(page, ".page-content > p")).y).toBeLessThanOrEqual(lowest);
    for (const look of [{ colorScheme: "dark" }, { colorScheme: "light", forcedColors: "active" }] as const) {
      await page.emulateMedia(look);
      await page.reload();
      expect([window, look, await errorsOf(page)]).toEqual([window, look, []]);
    }
  }
});

test("a page with a long title begins near the top too, and all of its title can be read", async () => {
  const [book] = (await screens.runtime.ask("GET", "/api/books?filter[name]=Runbooks")).body.data;
  const paths: string[] = [];
  for (const length of [80, 165, 255]) {
    const name = "What to do when the replica falls behind and nobody is on duty ".repeat(5).slice(0, length).trim();
    const { body } = await screens.runtime.ask("POST", "/api/pages", { body: { book_id: book.id, name, html: HTML } });
    paths.push(`/books/runbooks/page/${body.slug}`);
  }
  for (const [window, lowest] of [
    ["phone", 345],
    ["tablet", 345],
    ["desk", 260],
  ] as const) {
    const page = await open(window);
    for (const path of paths) {
      await page.goto(path);
      const { y } = await boxOf(page, ".page-content > p");
      expect([window, path, y, y <= lowest]).toEqual([window, path, y, true]);
      expect(await page.locator("h1").evaluate((title) => title.scrollHeight - title.clientHeight)).toBeLessThan(2);
    }
    expect([window, await errorsOf(page)]).toEqual([window, []]);
    await picture(page, `layout-long-title-${window}`);
  }
});

test("in forced colours the focus and the present entries of menus are seen without a shadow or a fill", async () => {
  const page = await open("desk");
  await page.emulateMedia({ forcedColors: "active" });
  const styleOf = (selector: string, name: string) =>
    page.evaluate(`getComputedStyle(document.querySelector('${selector}')).getPropertyValue("${name}")`);
  await page.goto(PAGE);
  for (const selector of [".actions > a", ".tree summary, .tree a", "header input[type=search]"]) {
    await page.locator(selector).first().focus();
    await page.keyboard.press("Shift+Tab");
    await page.keyboard.press("Tab");
    expect([selector, await styleOf(":focus", "outline-style")]).toEqual([selector, "solid"]);
  }
  for (const selector of [".menu [aria-current]", ".tree a[aria-current]"])
    expect([selector, await styleOf(selector, "text-decoration-line")]).toEqual([selector, "underline"]);
  await picture(page, "layout-forced");
  await page.goto("/books/runbooks/edit");
  const weights = await Promise.all(["main .ends button", "main .ends a"].map((each) => styleOf(each, "font-weight")));
  expect(Number(weights[0])).toBeGreaterThan(Number(weights[1]));
});

test("on a phone the menu opens by its sign, also by keyboard and without scripts, and the search is a sign that opens the palette", async () => {
  const phone = await open("phone");
  await phone.goto(PAGE);
  const books = phone.getByRole("navigation", { name: "Main menu" }).getByRole("link", { name: "Books" });
  expect(await books.isVisible()).toBe(false);
  await phone.getByRole("button", { name: "Menu" }).focus();
  await phone.keyboard.press("Enter");
  expect(await books.isVisible()).toBe(true);
  expect(await errorsOf(phone)).toEqual([]);
  await picture(phone, "layout-menu-phone");
  await phone.keyboard.press("Escape");
  expect(await books.isVisible()).toBe(false);
  expect(await phone.evaluate("document.activeElement.className")).toContain("menu-button");
  await phone.locator("header").getByRole("link", { name: "Search" }).click();
  await phone.getByRole("combobox", { name: "Go to" }).waitFor();
  await phone.keyboard.press("Escape");
  expect(await phone.evaluate("document.activeElement.className")).toContain("search-button");

  const plain = await open("phone", { scripts: false });
  await plain.goto(PAGE);
  expect((await boxOf(plain, ".page-content > p")).y).toBeLessThanOrEqual(345);
  await plain.getByRole("button", { name: "Menu" }).click();
  await plain.getByRole("navigation", { name: "Main menu" }).getByRole("link", { name: "Books" }).click();
  await plain.waitForURL("**/books");
  await plain.locator("header").getByRole("link", { name: "Search" }).click();
  await plain.waitForURL("**/search");
});

test("the contents of a page stay beside its text and mark the section that is read", async () => {
  const desk = await open("desk");
  await desk.goto(PAGE);
  const marked = desk.locator(".toc [aria-current]");
  expect((await boxOf(desk, ".toc")).x).toBeGreaterThan((await boxOf(desk, ".page-content")).x + 500);
  await desk.locator("#bkmrk-s6").evaluate((heading: { scrollIntoView(): void }) => heading.scrollIntoView());
  await desk.locator(".toc [aria-current]", { hasText: "Section 6" }).waitFor();
  expect((await boxOf(desk, ".toc")).y).toBeLessThan(20);
  await desk.evaluate("scrollTo(0, document.documentElement.scrollHeight)");
  await desk.locator(".toc [aria-current]", { hasText: "Section 11" }).waitFor();
  await desk.getByRole("link", { name: "Section 2", exact: true }).click();
  await desk.locator(".toc [aria-current]", { hasText: "Section 2" }).waitFor();
  expect(await marked.count()).toBe(1);
  // Without scripts nothing is marked, and all of it is there.
  const plain = await open("desk", { scripts: false });
  await plain.goto(PAGE);
  expect(await plain.locator(".toc").getByRole("link", { name: "Section 11" }).isVisible()).toBe(true);
  expect(await plain.locator(".tree").getByRole("link", { name: "Failover" }).isVisible()).toBe(true);
});

test("headings are links to themselves, and code is copied by its button", async () => {
  const desk = await open("desk");
  await desk.goto(PAGE);
  await desk.locator("#bkmrk-s1").hover();
  await desk.locator("#bkmrk-s1 > .anchor").click();
  expect(new URL(desk.url()).hash).toBe("#bkmrk-s1");
  await desk.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await desk.locator(".code-box").hover();
  await desk.locator(".code-copy").click();
  await desk.getByRole("button", { name: "Copied" }).waitFor();
  expect(await desk.evaluate("navigator.clipboard.readText()")).toBe("# promote\npg_ctl promote");
});

test("the focus is in the field of a reply, and returns to where a dialog was opened", async () => {
  const desk = await open("desk");
  await desk.goto(PAGE);
  await desk.locator(".comment summary", { hasText: "Reply" }).focus();
  await desk.keyboard.press("Enter");
  await focusOn(desk, ".comment-form[open] textarea");
  await desk.locator(".comment a[data-dialog]").focus();
  await desk.keyboard.press("Enter");
  await desk.locator("#dialog[open]").waitFor();
  await desk.keyboard.press("Escape");
  await focusOn(desk, ".comment a[data-dialog]");
  // The menu has closed since.
  await desk.locator(".head-line summary", { hasText: "More" }).click();
  await desk.locator(".head-line a[data-dialog]", { hasText: "Delete" }).click();
  await desk.locator("#dialog[open]").waitFor();
  await desk.keyboard.press("Escape");
  await focusOn(desk, ".head-line summary, .head-line a[data-dialog]");
});

test("on a phone boxes of permissions are on the screen, and what edits and saves is at its lower edge", async () => {
  const phone = await open("phone");
  const isInSight = async (selector: string) => {
    const { x, y, width, height } = await boxOf(phone, selector);
    return x >= 0 && y >= 0 && x + width <= WINDOWS.phone[0] && y + height <= WINDOWS.phone[1];
  };
  await phone.goto(PAGE);
  expect(await isInSight('.actions > a[href$="/edit"]')).toBe(true);
  for (const path of [`${PAGE}/permissions`, "/settings/roles/create", "/create-book"]) {
    await phone.goto(path);
    expect([path, await isInSight("main form .ends > button")]).toEqual([path, true]);
    const edges = (await phone.evaluate(
      "[...document.querySelectorAll('.permission-grid input')].map((box) => box.getBoundingClientRect().right)",
    )) as number[];
    expect([path, edges.filter((right) => right > WINDOWS.phone[0])]).toEqual([path, []]);
    expect([path, await errorsOf(phone)]).toEqual([path, []]);
  }
  await phone.goto(`${PAGE}/edit`);
  expect(await isInSight("button[value=save]")).toBe(true);
});

test("the question mark lists the keys, also as a screen without scripts", async () => {
  const desk = await open("desk");
  await desk.goto(PAGE);
  await desk.locator(".crumbs a").first().focus();
  await desk.keyboard.press("?");
  const dialog = desk.locator("#dialog[open]");
  await dialog.getByText("Save and continue").waitFor();
  await picture(desk, "layout-keys");
  expect(await errorsOf(desk)).toEqual([]);
  await desk.keyboard.press("Escape");
  await focusOn(desk, ".crumbs a");
  await desk.locator("textarea[name=text]").last().pressSequentially("?");
  expect(await dialog.count()).toBe(0);
  const plain = await open("phone", { scripts: false });
  await plain.goto("/");
  await plain.getByRole("link", { name: "Keyboard shortcuts" }).click();
  expect(await plain.locator("h1").textContent()).toBe("Keyboard shortcuts");
});

test("in a language from right to left the screens run that way, and signs that point turn", async () => {
  for (const window of ["desk", "phone"] as const) {
    const page = await open(window, { language: "he" });
    for (const path of [PAGE, `${PAGE}/permissions`, "/books", `${PAGE}/edit`]) {
      await page.goto(path);
      await picture(page, `layout-rtl-${window}${path.replaceAll("/", "-")}`);
      if (window === "desk") expect([path, await errorsOf(page)]).toEqual([path, []]);
      expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
      expect(await page.getAttribute("html", "dir")).toBe("rtl");
      expect((await boxOf(page, ".brand")).x).toBeGreaterThan(WINDOWS[window][0] / 2);
    }
  }
  const desk = await open("desk", { language: "he" });
  await desk.goto(PAGE);
  const text = await boxOf(desk, ".page-content");
  expect((await boxOf(desk, ".tree")).x).toBeGreaterThan(text.x + text.width - 1);
  const toc = await boxOf(desk, ".toc");
  expect(toc.x + toc.width).toBeLessThan(text.x + 1);
  // English text stays as it is written.
  const direction = "getComputedStyle(document.querySelector('.page-content > p')).direction";
  expect(await desk.evaluate(direction)).toBe("ltr");
  await desk.goto("/settings/audit?page=1");
  expect(await desk.evaluate("getComputedStyle(document.querySelector('.icon.turns')).transform")).toContain(
    "matrix(-1",
  );
  // So does an English name with a highlighted word.
  const book = (await screens.runtime.ask("POST", "/api/books", { body: { name: "Highlighted words" } })).body;
  await desk.goto("/search?query=highlighted");
  const [word, rest] = (await desk.evaluate(`(() => {
    const word = document.querySelector('.results a[href$="/${book.slug}"] strong');
    const range = document.createRange();
    range.selectNode(word.nextSibling);
    return [word, range].map((each) => each.getBoundingClientRect().left);
  })()`)) as [number, number];
  expect(word).toBeLessThan(rest);
  await desk.goto(`${PAGE}/edit`);
  const corners = await desk.evaluate(`[...document.querySelectorAll(".rich-switch button")].map((button) =>
    ["Right", "Left"].map((side) => parseFloat(getComputedStyle(button)["borderTop" + side + "Radius"]) > 0))`);
  expect(corners).toEqual([
    [true, false],
    [false, true],
  ]);
});

test("pages stand further in than the name of their chapter, in both directions, and long names end in an ellipsis", async () => {
  const make = async (path: string, body: object) => (await screens.runtime.ask("POST", path, { body })).body;
  const name = "A chapter with a name of very many words, which no list has the room for, on a desk or on a phone";
  const { id, slug } = await make("/api/books", { name: "Indented" });
  const chapter = await make("/api/chapters", { book_id: id, name });
  const page = await make("/api/pages", { chapter_id: chapter.id, name, html: "<p>x</p>" });
  const desk = await open("desk");
  const starts = () =>
    desk.evaluate(`[...document.querySelectorAll(".tree li > a")].map((link) => {
      const range = document.createRange();
      range.selectNodeContents(link);
      return range.getBoundingClientRect()[document.dir === "rtl" ? "right" : "left"];
    })`) as Promise<[number, number]>;
  await desk.goto(`/books/${slug}`);
  for (const path of [`/books/${slug}`, `/books/${slug}/page/${page.slug}`]) {
    await desk.goto(path);
    const [outer, inner] = await starts();
    expect([path, inner - outer > 6]).toEqual([path, true]);
    await desk.evaluate("document.documentElement.dir = 'rtl'");
    const [from, within] = await starts();
    expect([path, from - within > 6]).toEqual([path, true]);
  }
  const phone = await open("phone");
  await phone.goto(`/books/${slug}/page/${page.slug}`);
  const [cut] = (await phone.evaluate(
    `[...document.querySelectorAll(".crumbs li")].filter((each) => each.scrollWidth > each.clientWidth && each.clientWidth > 0)
      .map((each) => getComputedStyle(each.firstElementChild).display)`,
  )) as string[];
  expect(cut).toBe("inline");
});

test("books without a cover have the colour of their name", async () => {
  const desk = await open("desk");
  await desk.goto("/books");
  const colours = () =>
    desk.evaluate(
      "[...document.querySelectorAll('.tiles .cover')].map((each) => getComputedStyle(each).backgroundColor)",
    );
  const found = await colours();
  expect(new Set(found as string[]).size).toBeGreaterThan(1);
  await desk.reload();
  expect(await colours()).toEqual(found);
});
