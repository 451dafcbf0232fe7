/**
 * Diagrams of Mermaid in a browser: code blocks become pictures, and stay code where they cannot be drawn. Hostile diagrams, and a frame
 * that lies about what it drew, reach nothing.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import { errorsOf, openScreens, picture, type ScreenRuntime } from "../support/harness/screens.ts";

setDefaultTimeout(90_000);

let screens: ScreenRuntime;
let book: { id: number };
beforeAll(async () => {
  screens = await openScreens();
  book = (await screens.runtime.ask("POST", "/api/books", { body: { name: "Drawn" } })).body;
});
afterAll(() => screens.stop());

const fenced = (...texts: readonly string[]) =>
  texts.map((text) => `\`\`\`mermaid\n${text}\n\`\`\`\n`).join("\nBetween.\n\n");
const newPage = async (name: string, markdown: string) =>
  (await screens.runtime.ask("POST", "/api/pages", { body: { book_id: book.id, name, markdown } })).body;
const open = async (made: { slug: string }, look = {}): Promise<Page> => {
  const page = await screens.visit(undefined, look);
  await page.goto(`/books/drawn/page/${made.slug}`);
  return page;
};
const settled = (page: Page, count: number) =>
  page
    .locator(".diagram img, .diagram-fault")
    .nth(count - 1)
    .waitFor();
const pictures = (page: Page) =>
  page.evaluate(`[...document.querySelectorAll(".diagram img")].map(({ src }) => decodeURIComponent(src))`) as Promise<
    string[]
  >;

const FLOW = 'flowchart LR\n  A["Grüße <1>"] --> B{Next?}';

test("a page shows diagrams as pictures, and the code where one cannot be drawn", async () => {
  const made = await newPage(
    "Plans",
    fenced(FLOW, "flowchart LR\n  A -->", 'pie title Pets\n  accTitle: Cats and dogs\n  "Dogs" : 3\n  "Cats" : 5'),
  );
  const page = await open(made);
  await settled(page, 3);
  const images = page.locator(".diagram img");
  expect(await images.count()).toBe(2);
  expect(await images.first().getAttribute("alt")).toBe(FLOW);
  expect(await images.last().getAttribute("alt")).toBe("Cats and dogs");
  expect(await images.evaluateAll((all) => all.map((one) => one.clientWidth > 100 && one.clientHeight > 40))).toEqual([
    true,
    true,
  ]);
  expect((await pictures(page))[0]).toContain("Grüße");
  expect(await page.locator(".diagram-fault").textContent()).toContain("Parse error on line");
  expect(await page.locator(".diagram-fault + pre").textContent()).toContain("A -->");
  await page.getByText("Source of the diagram").first().click();
  expect(await page.locator(".diagram pre").first().isVisible()).toBe(true);
  expect(await errorsOf(page)).toEqual([]);
  await picture(page, "diagrams-light");

  const phone = await open(made, { scheme: "dark", size: "phone" });
  await settled(phone, 3);
  expect(await errorsOf(phone)).toEqual([]);
  expect((await pictures(phone))[0]).not.toBe((await pictures(page))[0]);
  await picture(phone, "diagrams-dark");
  // The scheme changes while the page is read.
  await phone.emulateMedia({ colorScheme: "light" });
  await phone.locator(".diagram:not(.is-dark) img").first().waitFor();

  const plain = await open(made, { scripts: false });
  expect(await plain.locator("pre code.language-mermaid").first().textContent()).toContain(FLOW);
  expect(made.html).toContain('<code class="language-mermaid">flowchart LR');
  const { body: exported } = await screens.runtime.ask("GET", `/api/pages/${made.id}/export/html`);
  expect(String(exported)).toContain('<code class="language-mermaid">flowchart LR');
});

test("a page without a diagram loads nothing of it", async () => {
  const made = await newPage("Words", "# No diagram\n\n```js\nlet a;\n```");
  const page = await screens.visit();
  const asked: string[] = [];
  page.on("request", (request) => asked.push(request.url()));
  await page.goto(`/books/drawn/page/${made.slug}`, { waitUntil: "networkidle" });
  expect(asked.filter((url) => url.includes("diagram"))).toEqual([]);
});

/** Each tries to run, to load, to lead elsewhere or to cost too much. */
const HOSTILE: readonly string[] = [
  'flowchart LR\n  A["<script>parent.hit=1;alert(1)</script>"] --> B["<img src=http://127.0.0.1:9/x onerror=alert(1)>"]',
  'flowchart LR\n  A --> B\n  click A "javascript:alert(1)" "tip"\n  click B call alert(1)',
  'flowchart LR\n  A["<foreignObject><iframe src=javascript:alert(1)></iframe></foreignObject>"]',
  '%%{init: {"securityLevel": "loose", "htmlLabels": true, "flowchart": {"htmlLabels": true}}}%%\nflowchart LR\n  A["<img src=x onerror=alert(1)>"] --> B',
  '%%{init: {"themeCSS": "} * { background: url(http://127.0.0.1:9/css) } @import url(http://127.0.0.1:9/i);"}}%%\nflowchart LR\n  A --> B',
  "sequenceDiagram\n  participant A\n  link A: Board @ javascript:alert(1)\n  A->>A: <svg onload=alert(1)>",
  `flowchart LR\n${Array.from({ length: 2000 }, (_, at) => `  N${at} --> N${at + 1}`).join("\n")}`,
  `flowchart LR\n  A["${"x".repeat(60_000)}"]`,
  '%%{init: {"__proto__": {"hit": 1}, "constructor": {"prototype": {"hit": 1}}}}%%\nflowchart LR\n  A --> B',
];

test("hostile diagrams run nothing, load nothing and lead nowhere", async () => {
  const made = await newPage("Hostile", fenced(...HOSTILE));
  const page = await screens.visit();
  const asked: string[] = [];
  const dialogs: string[] = [];
  page.on("request", (request) => asked.push(request.url()));
  page.on("dialog", (dialog) => {
    dialogs.push(dialog.message());
    void dialog.dismiss();
  });
  await page.goto(`/books/drawn/page/${made.slug}`);
  await settled(page, HOSTILE.length);
  expect(dialogs).toEqual([]);
  expect(asked.filter((url) => !url.startsWith(screens.url) && !url.startsWith("data:"))).toEqual([]);
  expect(await page.evaluate("[window.hit, Object.prototype.hit, location.pathname]")).toEqual([
    undefined,
    undefined,
    `/books/drawn/page/${made.slug}`,
  ]);
  const drawn = await pictures(page);
  expect(drawn.length).toBeGreaterThan(3);
  for (const one of drawn) expect(one).not.toMatch(/<script|<foreignObject|<iframe|<image|\son\w+=|href="(?!#)/i);
  // Too many edges and too long a text stay code.
  expect(await page.locator(".diagram-fault").count()).toBeGreaterThanOrEqual(1);
});

test("what the frame answers is shown if it is a picture, and no message of others counts", async () => {
  const made = await newPage(
    "Lied about",
    fenced(...Array.from({ length: 8 }, (_, at) => `flowchart LR\n  A${at} --> B`)),
  );
  const page = await screens.visit();
  // The frame is one that lies: each diagram gets the next of these answers.
  const good = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><text>fine</text></svg>';
  const size = { width: 9, height: 9, title: "" };
  const answers = [
    { svg: good, ...size },
    { svg: good.replace("<text", "<script>alert(1)</script><text"), ...size },
    { svg: good.replace("<text", "<foreignObject><p>x</p></foreignObject><text"), ...size },
    { svg: good.replace("<text", '<a href="javascript:alert(1)"><text').replace("</svg>", "</a></svg>"), ...size },
    { svg: `${good}${" ".repeat(10)}<p>after</p>`, ...size },
    { svg: good, ...size, width: 1e9 },
    { svg: good.replace("fine", "x".repeat(2_000_001)), ...size },
    { svg: { toString: "evil" }, ...size },
  ];
  await page.route("**/web/assets/diagram_frame.js*", (route) =>
    route.fulfill({
      contentType: "text/javascript",
      body: `const answers = ${JSON.stringify(answers)};
addEventListener("message", ({ data }) => parent.postMessage({ id: data.id, ...answers.shift() }, "*"));
try { parent.document.title = "reached"; } catch {}
try { localStorage.hit = 1; } catch {}
parent.postMessage({ ready: true }, "*");`,
    }),
  );
  await page.addInitScript(
    "setInterval(() => postMessage({ id: 1, svg: '<svg >stranger</svg>', width: 9, height: 9, title: '' }, '*'), 1)",
  );
  await page.goto(`/books/drawn/page/${made.slug}`);
  await settled(page, answers.length);
  expect(await pictures(page)).toEqual([`data:image/svg+xml;charset=utf-8,${good}`]);
  expect(await page.locator(".diagram-fault").count()).toBe(answers.length - 1);
  expect(await page.title()).not.toBe("reached");
  expect(await page.evaluate("localStorage.hit")).toBeUndefined();
});

test("the frame is a document of an origin of its own, which other sites cannot frame", async () => {
  const made = await newPage("Framed", fenced(FLOW));
  const page = await open(made);
  await settled(page, 1);
  const address = (await page.locator("iframe.diagram-frame").getAttribute("src")) ?? "";
  const answer = await fetch(`${screens.url}${address}`);
  const policy = answer.headers.get("content-security-policy") ?? "";
  for (const word of ["default-src 'none'", "sandbox allow-scripts", "frame-ancestors 'self'", "form-action 'none'"])
    expect(policy).toContain(word);
  expect(policy).not.toContain("allow-same-origin");
  for (const accepted of ["identity", "br, gzip;q=0"]) {
    const headers = { "accept-encoding": accepted };
    const library = await fetch(`${screens.url}/web/diagrams/library.js`, { headers });
    expect([library.headers.get("content-encoding"), (await library.text()).length > 1_000_000]).toEqual([null, true]);
  }
});

test("the preview draws a diagram while it is written, and the menu of the rich editor inserts one", async () => {
  const made = await newPage("Written", "Start");
  const page = await screens.visit();
  await page.goto(`/books/drawn/page/${made.slug}/edit`);
  await page.getByLabel("Content in Markdown").fill(fenced("flowchart LR\n  Left --> Right"));
  await page.locator("#preview .diagram img").waitFor();
  expect((await pictures(page))[0]).toContain("Right");
  expect(await errorsOf(page)).toEqual([]);
  const html = await screens.runtime.ask("POST", "/api/pages", {
    body: { book_id: book.id, name: "Rich", html: "<p></p>" },
  });
  const rich = await screens.visit();
  await rich.goto(`/books/drawn/page/${html.body.slug}/edit`);
  await rich.getByRole("textbox", { name: "Content", exact: true }).click();
  await rich.keyboard.type("/diagram");
  await rich.keyboard.press("Enter");
  await rich.locator("#rich-text pre").waitFor();
  await rich.getByRole("button", { name: "Save", exact: true }).click();
  await rich.locator(".page-content .diagram img").waitFor();
});
