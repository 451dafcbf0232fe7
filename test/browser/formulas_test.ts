/** Formulas in Markdown, where they are allowed: on screens and in exports, for screen readers too; the API has what was written. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { exported } from "../support/harness/exports.ts";
import { errorsOf, openScreens, picture, type ScreenRuntime } from "../support/harness/screens.ts";

setDefaultTimeout(90_000);

let screens: ScreenRuntime;
let book: { id: number };
/** Bytes of a page. */
const LONGEST = 600_000;
beforeAll(async () => {
  const choices = { settings: { formulas: { isOn: true } } };
  const constants = { formulas: { seconds: 5 }, markup: { maxContentBytes: LONGEST } };
  screens = await openScreens({ choices, constants });
  book = (await screens.runtime.ask("POST", "/api/books", { body: { name: "Sums" } })).body;
});
afterAll(() => screens.stop());

const TEXT = `# Waves

The energy $E = mc^2$ of $a*b*c$ costs $5 and $6, \`$code$\` and \\$x\\$ too; $\\frac{ is none.

$$
\\begin{aligned}
\\int_0^\\infty e^{-x^2}\\,dx &= \\frac{\\sqrt{\\pi}}{2} \\\\
a &< b
+ c
\\end{aligned}
$$

| Sum | Means |
| --- | --- |
| $\\sum_{i=1}^n i$ | **all** |

<p onclick="x">Raw $\\text{<script>alert(1)</script>}$</p>
`;
const newPage = async (name: string, markdown: string) =>
  (await screens.runtime.ask("POST", "/api/pages", { body: { book_id: book.id, name, markdown } })).body;

test("formulas are pictures on screens, with mathematics for screen readers, and what was written in the API", async () => {
  const made = await newPage("Waves", TEXT);
  expect(made.markdown).toBe(TEXT.trimEnd());
  expect(made.html).toContain("The energy $E = mc^2$ of $a<em>b</em>c$ costs $5 and $6");
  const page = await screens.visit();
  await page.goto(`/books/sums/page/${made.slug}`);
  const formulas = page.locator(".page-content .formula");
  expect(await formulas.count()).toBe(5);
  expect(await page.locator(".page-content > p").first().innerText()).toContain(
    "costs $5 and $6, $code$ and $x$ too; $\\frac{",
  );
  expect(await page.locator(".formula.is-block mtable mfrac").count()).toBe(1);
  const sizes = await page
    .locator(".formula img")
    .evaluateAll((all) => all.map(({ clientWidth, clientHeight }) => clientWidth > 8 && clientHeight > 8));
  expect(sizes).toEqual([true, true, true, true, true]);
  expect(await page.getByRole("math").count()).toBe(5);
  expect(await errorsOf(page)).toEqual([]);
  await picture(page, "formulas-light");

  const phone = await screens.visit(undefined, { size: "phone", scheme: "dark", scripts: true });
  await phone.goto(`/books/sums/page/${made.slug}`);
  expect(await errorsOf(phone)).toEqual([]);
  await picture(phone, "formulas-dark");

  const html = await exported(screens.runtime, `/api/pages/${made.id}/export/html`);
  expect(html.text).toContain('alt="E = mc^2"');
  expect(html.text.match(/<span class="formula/g)).toHaveLength(5);
  expect(html.text).not.toContain("<script");
  const markdown = await exported(screens.runtime, `/api/pages/${made.id}/export/markdown`);
  expect(markdown.text).toContain("$E = mc^2$");
  const pdf = await exported(screens.runtime, `/api/pages/${made.id}/export/pdf`);
  expect(pdf.text.match(/\/Subtype\s*\/Image/g)?.length).toBeGreaterThanOrEqual(5);
  const { SCREENSHOTS } = process.env;
  if (SCREENSHOTS) await Bun.write(`${SCREENSHOTS}/formulas.pdf`, pdf.bytes);
});

test("the preview and revisions show formulas, and pages in HTML have none", async () => {
  const made = await newPage("Draft", "Old $a$");
  await screens.runtime.ask("PUT", `/api/pages/${made.id}`, { body: { markdown: "New $b$" } });
  const page = await screens.visit();
  await page.goto(`/books/sums/page/${made.slug}/edit`);
  await page.locator("#preview .formula").waitFor();
  await page.getByLabel("Content in Markdown").fill("Now $\\alpha$ and $\\beta$");
  await page.locator("#preview .formula").nth(1).waitFor();
  expect(await errorsOf(page)).toEqual([]);
  const { data } = (await screens.runtime.ask("GET", `/api/pages/${made.id}/revisions`)).body;
  await page.goto(`/books/sums/page/${made.slug}/revisions/${data.at(-1).id}`);
  expect(await page.locator(".page-content .formula").count()).toBe(1);
  const written = await screens.runtime.ask("POST", "/api/pages", {
    body: { book_id: book.id, name: "H", html: "<p>$a$</p>" },
  });
  await page.goto(`/books/sums/page/${written.body.slug}`);
  expect(await page.locator(".page-content").innerText()).toBe("$a$");
});

test("formulas that take too long are left as they are, and hold up nobody", async () => {
  const slow = `$${"\\sqrt{".repeat(200)}x${"}".repeat(200)}$`;
  const made = await newPage("Slow", Array.from({ length: 300 }, () => slow).join("\n\n"));
  const page = await screens.visit();
  const shown = page.goto(`/books/sums/page/${made.slug}`);
  expect((await fetch(`${screens.url}/login`)).status).toBe(200);
  expect((await shown)?.status()).toBe(200);
  expect(await page.locator(".formula").count()).toBe(0);
  expect(await page.locator(".page-content > p").first().innerText()).toBe(slow);
});

test("a page that is as long as it may be is shown with the source of its formulas", async () => {
  const long = "$a$ ".repeat(2_000);
  const made = await newPage("Long", `${long}\n\n${"word ".repeat((LONGEST - long.length - 100) / 5)}`);
  const page = await screens.visit();
  expect((await page.goto(`/books/sums/page/${made.slug}`))?.status()).toBe(200);
  expect(await page.locator(".page-content > p").first().innerText()).toBe(long.trim());
});
