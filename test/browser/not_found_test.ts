/** Empty lists, refused and missing screens, and deleted items in a browser. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { errorsOf, openScreens, picture, type ScreenRuntime } from "../support/harness/screens.ts";

setDefaultTimeout(90_000);

let screens: ScreenRuntime;
beforeAll(async () => {
  screens = await openScreens();
});
afterAll(() => screens.stop());

const make = async (path: string, body: object) => (await screens.runtime.ask("POST", path, { body })).body;

test("an empty list offers the next step to those who may take it, and to nobody else", async () => {
  const page = await screens.visit();
  for (const [path, text, leadsTo] of [
    ["/books", "New book", "/create-book"],
    ["/shelves", "New shelf", "/create-shelf"],
  ] as const) {
    await page.goto(path);
    await page.locator(".empty").getByRole("button", { name: text }).click();
    await page.waitForURL(`**${leadsTo}`);
  }
  const book = await make("/api/books", { name: "Runbooks" });
  await make("/api/chapters", { book_id: book.id, name: "Database" });
  await make("/api/books", { name: "Blank" });
  await make("/api/shelves", { name: "Operations" });
  for (const [path, text, leadsTo] of [
    ["/books/blank", "New page", "/books/blank/create-page"],
    ["/books/runbooks/chapter/database", "New page", "/books/runbooks/chapter/database/create-page"],
    ["/shelves/operations", "Add books", "/shelves/operations/edit"],
  ] as const) {
    await page.goto(path);
    expect([path, await errorsOf(page)]).toEqual([path, []]);
    await page.locator(".empty").getByRole("button", { name: text }).click();
    await page.waitForURL(`**${leadsTo}`);
  }
  const reader = await screens.visit(await screens.user("Reader", ["book-view-all", "chapter-view-all"]));
  await reader.goto("/books/blank");
  await reader.getByText("This book is empty.").waitFor();
  expect(await reader.locator(".empty").getByRole("button").count()).toBe(0);
});

test("a search without results says what to try", async () => {
  const page = await screens.visit();
  await page.goto("/search?query=nowhere&type=page");
  await page.getByText("Try fewer or different terms.").waitFor();
  expect(await page.getByRole("link", { name: "Search everything" }).getAttribute("href")).toBe(
    "/search?query=nowhere",
  );
});

test("what is not there can be searched for, and what is refused says whom to ask", async () => {
  const page = await screens.visit();
  expect((await page.goto("/books/nowhere"))?.status()).toBe(404);
  await picture(page, "lost-missing");
  expect((await errorsOf(page)).filter((error) => !error.includes("404"))).toEqual([]);
  const search = page.getByRole("main").getByRole("searchbox");
  await search.fill("runbooks");
  await search.press("Enter");
  await page.waitForURL("**/search?query=runbooks");
  const reader = await screens.visit(await screens.user("Looker", ["book-view-all"]));
  expect((await reader.goto("/settings/users"))?.status()).toBe(403);
  await reader.getByText("If you need access").waitFor();
  await picture(reader, "lost-refused");
});

test("a row of the audit log about a deleted item leads to the bin, and back", async () => {
  const book = await make("/api/books", { name: "Thrown away" });
  await make("/api/books", { name: "Also gone" }).then(({ id }) => screens.runtime.ask("DELETE", `/api/books/${id}`));
  await screens.runtime.ask("DELETE", `/api/books/${book.id}`);
  const page = await screens.visit();
  await page.goto("/settings/audit?type=book_delete");
  await page.getByRole("link", { name: /Thrown away/ }).click();
  await page.waitForURL("**/settings/recycle-bin?entry=*");
  expect(await page.locator("tbody tr").count()).toBe(1);
  await page.getByText("Thrown away").waitFor();
  await page.getByRole("link", { name: "Show all" }).click();
  await page.waitForURL("**/settings/recycle-bin");
  expect(await page.locator("tbody tr").count()).toBe(2);
});

test("a row about what was deleted with its book leads to the bin as well, which says so", async () => {
  const book = await make("/api/books", { name: "Holder" });
  await make("/api/pages", { name: "Within", book_id: book.id, html: "<p>x</p>" });
  await screens.runtime.ask("DELETE", `/api/books/${book.id}`);
  const page = await screens.visit();
  await page.goto("/settings/audit?type=page_create");
  await page.getByRole("link", { name: /Within/ }).click();
  await page.waitForURL("**/settings/recycle-bin");
  await page.getByText("deleted together with its book or chapter").waitFor();
  await page.getByRole("cell", { name: /Holder/ }).waitFor();
});

test("cells of a table stand as they were aligned", async () => {
  const { id } = await make("/api/books", { name: "Numbers" });
  await make("/api/pages", {
    book_id: id,
    name: "Prices",
    markdown: "| a | b | c |\n|:--|:-:|--:|\n| 1 | 2 | 3 |",
  });
  const page = await screens.visit();
  await page.goto("/books/numbers/page/prices");
  for (const cell of ["th", "td"])
    expect(
      await page.locator(`.page-content ${cell}`).evaluateAll((cells) =>
        // `window` exists in the page, and not in the server's types.
        cells.map(
          (one) =>
            (globalThis as unknown as { getComputedStyle(of: unknown): { textAlign: string } }).getComputedStyle(one)
              .textAlign,
        ),
      ),
    ).toEqual(["left", "center", "right"]);
});
