/** The rich editor keeps pages: their HTML has the same tree when it is opened and written again, under the policy of screens. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import bodies from "../fixtures/editor/bodies.json" with { type: "json" };
import { richRoundTrips } from "../support/harness/rich_round_trip.ts";
import { errorsOf, openScreens, type ScreenRuntime } from "../support/harness/screens.ts";

setDefaultTimeout(60_000);

let screens: ScreenRuntime;
beforeAll(async () => {
  screens = await openScreens();
});
afterAll(() => screens.stop());

test("HTML of every class has the same tree when it is opened and written, and is written the same again", async () => {
  const page = await screens.visit();
  await page.goto("/books");
  const trips = await richRoundTrips(page, bodies);
  expect(trips.filter(({ isSame }) => !isSame)).toEqual([]);
  const again = await richRoundTrips(
    page,
    trips.map(({ html }) => html),
  );
  expect(again.map(({ html }) => html)).toEqual(trips.map(({ html }) => html));
});

test("nothing of a page is applied or runs when it is read: there is nothing that the policy would have to refuse", async () => {
  const page = await screens.visit();
  await page.goto("/books");
  // Browsers report a style element even in a document that is not shown.
  await richRoundTrips(
    page,
    bodies.filter((html) => !html.includes("<style")),
  );
  expect(await errorsOf(page)).toEqual([]);
});

test("ordinary content is edited and not kept whole", async () => {
  const page = await screens.visit();
  await page.goto("/books");
  const whole =
    /<(?:iframe|video|audio|object|svg|math|picture|ruby|script|form|wbr|x-box|button)|<a [^>]*><\/a>|<ul><\/ul>|no rows|<a [^>]*><p>|<p>late/;
  const edited = bodies.filter((html) => !whole.test(html));
  const trips = await richRoundTrips(page, edited);
  expect(edited.length).toBeGreaterThan(25);
  expect(trips.flatMap(({ whole }, index) => (whole > 0 ? [edited[index]] : []))).toEqual([]);
});

test("bodies open on the screen, and are saved untouched byte for byte", async () => {
  const { ask } = screens.runtime;
  const book = (await ask("POST", "/api/books", { body: { name: "Kept" } })).body;
  const page = await screens.visit();
  for (const [index, html] of bodies.entries()) {
    if (index % 4 > 0) continue;
    const made = (await ask("POST", "/api/pages", { body: { book_id: book.id, name: `Body ${index}`, html } })).body;
    await page.goto(`/books/${book.slug}/page/${made.slug}/edit`);
    await page.getByRole("textbox", { name: "Content", exact: true }).waitFor();
    await page.getByLabel("Name", { exact: true }).fill(`Saved ${index}`);
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.waitForURL((url) => !url.pathname.endsWith("/edit"));
    const saved = (await ask("GET", `/api/pages/${made.id}`)).body;
    expect([saved.name, saved.raw_html]).toEqual([`Saved ${index}`, made.raw_html]);
  }
});
