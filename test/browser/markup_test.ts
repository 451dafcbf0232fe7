/**
 * Stored markup in a browser: payloads are stored over the API as pages, descriptions, comments and names, and the answers are
 * put into documents in every way a client might: as markup of an element, as a document of its own, and once more after the
 * browser has serialised it. Then every element is clicked, focused and hovered. No dialog may open and nothing may navigate.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Browser, Page } from "playwright-core";
import { markup } from "../../plugins/content/markup/markup.ts";
import { PAYLOADS } from "../fixtures/payloads.ts";
import { sharedBrowser } from "../support/harness/browser.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

const SECONDS = 1000;
const READER_URL = "http://reader.test/";
const BATCH = 12;
/** Pieces that, put together at random, have made filters and browsers disagree. */
const PIECES = [
  ..."svg math style title desc p table td tr select option form mglyph mtext mi annotation-xml foreignObject font b a"
    .split(" ")
    .flatMap((name) => [`<${name}>`, `</${name}>`]),
  "<noscript>",
  "</noscript>",
  "<template>",
  "</template>",
  "<xmp>",
  "</xmp>",
  "<textarea>",
  "</textarea>",
  "<!--",
  "-->",
  "--!>",
  "<![CDATA[",
  "]]>",
  "<img src=x onerror=alert(1)>",
  "<a title='",
  "'>",
  "&lt;",
  "&gt;",
  '"',
  "`",
  "<script>alert(1)</script>",
  "<a href=javascript:alert(1)>x</a>",
  "<p id='</style><img src=x onerror=alert(1)>'>",
  "text",
];

/** Calls of `alert` in any frame are counted at the top. Links that lead somewhere are not followed, those that run are. */
const LISTENER = String.raw`top.alerts ??= [];
  window.alert = (said) => void top.alerts.push(String(said));
  addEventListener("click", (event) => {
    const link = event.target.closest?.("a, area");
    const address = String(link?.href?.baseVal ?? link?.href ?? "");
    if (!/^\s*(javascript|data|vbscript):/i.test(address)) event.preventDefault();
  }, true);`;
const READER = `async (texts, listener) => {
  alerts.length = 0;
  const main = document.querySelector("main");
  main.replaceChildren();
  await Promise.all(texts.map((html) => show(main, html)));
  await new Promise((done) => setTimeout(done, 20));
  return [...alerts];
  async function show(main, html) {
  const inner = document.createElement("div");
  inner.innerHTML = html;
  const again = document.createElement("div");
  again.innerHTML = inner.innerHTML;
  const frame = document.createElement("iframe");
  main.append(inner, again, frame);
  const loaded = new Promise((done) => frame.addEventListener("load", done, { once: true }));
  // Written into the first document of the frame, which costs less than a navigation. To open it removes its listeners.
  const inside = frame.contentDocument.open();
  frame.contentWindow.eval(listener);
  inside.write("<!doctype html><body>" + html);
  inside.close();
  await Promise.race([loaded, new Promise((done) => setTimeout(done, 500))]);
  const events = ["click", "mouseover", "focus", "toggle", "load", "error", "animationstart", "begin"];
  for (const root of [inner, again, frame.contentDocument?.body])
    for (const element of root?.querySelectorAll("*") ?? []) {
      for (const name of events) element.dispatchEvent(new Event(name));
      if (element.matches("a, area, button"))
        element.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true, view: window }));
    }
  }
}`;

/** Texts beside each other, so many in one: where one fires, the batch does. A frame for each costs 16 ms of CPU time. */
function together(texts: readonly string[], count: number): string[] {
  const starts = Array.from({ length: Math.ceil(texts.length / count) }, (_, at) => at * count);
  return starts.map((start) =>
    texts
      .slice(start, start + count)
      .map((text) => `<div>${text}</div>`)
      .join(""),
  );
}

describe("in a real browser", () => {
  let browser: Browser;
  let runtime: TestRuntime;
  beforeAll(async () => {
    [browser, runtime] = await Promise.all([sharedBrowser(), bootTestRuntime()]);
  }, 60 * SECONDS);
  afterAll(async () => {
    await runtime?.stop();
  });

  /** What has been shown and ran nothing, so that no later test shows it again. */
  const harmless = new Set<string>();

  /** Loads texts in the browser, each once, as many payloads leave the same, and answers those that ran anything. */
  async function fired(all: readonly string[]): Promise<string[]> {
    const texts = [...new Set(all)].filter((text) => !harmless.has(text));
    const page = await browser.newPage();
    const guilty: string[] = [];
    page.on("popup", (popup) => guilty.push(`opened ${popup.url()}`));
    await page.addInitScript(LISTENER);
    // Nothing leaves the machine: images are missing, and frames are empty.
    await page.route(/.*/, (route) =>
      route.fulfill({ contentType: "text/html", body: "<title>Reader</title><main></main>" }),
    );
    await page.goto(READER_URL);
    const look = async (batch: readonly string[]): Promise<void> => {
      const alerts = await exposed(page, batch);
      if (alerts.length === 0 && page.url() === READER_URL) return;
      if (page.url() !== READER_URL) await page.goto(READER_URL);
      if (batch.length === 1) guilty.push(`${[...new Set(alerts)].join()}: ${batch[0]}`);
      else for (const text of batch) await look([text]);
    };
    for (let at = 0; at < texts.length; at += BATCH) await look(texts.slice(at, at + BATCH));
    await page.close();
    if (guilty.length === 0) for (const text of texts) harmless.add(text);
    return guilty;
  }

  test(
    "the test can tell: what is not filtered fires",
    async () => {
      expect(
        await fired(["<img src=x onerror=alert(1)>", "<a href=javascript:alert(2)>x</a>", "<p>harmless</p>"]),
      ).toEqual(["1: <img src=x onerror=alert(1)>", "2: <a href=javascript:alert(2)>x</a>"]);
    },
    60 * SECONDS,
  );

  test(
    "no stored page fires, written in HTML or Markdown, read or included by another",
    async () => {
      const book = (await runtime.ask("POST", "/api/books", { body: { name: "Hostile" } })).body.id;
      const make = async (body: object) =>
        (await runtime.ask("POST", "/api/pages", { body: { book_id: book, name: "x", ...body } })).body;
      const texts: string[] = [];
      const included = new Set<string>();
      for (const payload of PAYLOADS) {
        const written = await make({ html: `<p>a</p>${payload}` });
        const marked = await make({ markdown: payload });
        const read = async (id: number): Promise<string> => (await runtime.ask("GET", `/api/pages/${id}`)).body.html;
        const own = [await read(written.id), await read(marked.id)];
        texts.push(...own);
        // Payloads that leave the same are the same to a page that includes them.
        if (included.has(own.join())) continue;
        included.add(own.join());
        const including = await make({ html: `<div>{{@${written.id}}}</div><p>{{@${marked.id}}}</p>` });
        texts.push(await read(including.id));
      }
      expect(await fired(texts)).toEqual([]);
    },
    300 * SECONDS,
  );

  test(
    "no comment fires, alone or in the tree of its page",
    async () => {
      const book = (await runtime.ask("POST", "/api/books", { body: { name: "Talk" } })).body.id;
      const body = { book_id: book, name: "x", html: "<p>x</p>" };
      const page = (await runtime.ask("POST", "/api/pages", { body })).body.id;
      for (const payload of PAYLOADS)
        await runtime.ask("POST", "/api/comments", { body: { page_id: page, html: `<p>a</p>${payload}` } });
      const { comments } = (await runtime.ask("GET", `/api/pages/${page}`)).body;
      expect(comments.active).toHaveLength(PAYLOADS.length);
      expect(await fired(comments.active.map(({ comment }: { comment: { html: string } }) => comment.html))).toEqual(
        [],
      );
    },
    120 * SECONDS,
  );

  test(
    "no description fires",
    async () => {
      const texts: string[] = [];
      for (const payload of PAYLOADS) {
        const fields = payload.length > 1900 ? {} : { description_html: `<p>${payload}</p>` };
        const { body } = await runtime.ask("POST", "/api/books", { body: { name: "Described", ...fields } });
        texts.push(body.description_html);
        if (payload.length > 1900) continue;
        texts.push(
          (await runtime.ask("POST", "/api/shelves", { body: { name: "x", description: payload } })).body
            .description_html,
        );
      }
      expect(texts.length).toBeGreaterThan(PAYLOADS.length);
      expect(await fired(together(texts, 10))).toEqual([]);
    },
    120 * SECONDS,
  );

  test(
    "links made of the names of pictures and attachments do not fire",
    async () => {
      const book = (await runtime.ask("POST", "/api/books", { body: { name: "Names" } })).body.id;
      const page = (await runtime.ask("POST", "/api/pages", { body: { book_id: book, name: "x", html: "<p>x</p>" } }))
        .body.id;
      const texts: string[] = [];
      for (const payload of PAYLOADS.filter(({ length }) => length <= 255)) {
        const body = { name: payload, uploaded_to: page, link: "https://example.com" };
        const { id } = (await runtime.ask("POST", "/api/attachments", { body })).body;
        const { links } = (await runtime.ask("GET", `/api/attachments/${id}`)).body;
        texts.push(links.html, markup.safe(links.markdown));
      }
      expect(await fired(together(texts, 10))).toEqual([]);
    },
    120 * SECONDS,
  );

  test(
    "random soups of markup do not fire, and reading them again changes nothing",
    async () => {
      const soups = fc.sample(fc.array(fc.constantFrom(...PIECES), { minLength: 3, maxLength: 14 }), {
        numRuns: 3000,
        seed: 7,
      });
      const texts = soups.map((pieces) => markup.safe(pieces.join("")));
      expect(texts.filter((text) => markup.safe(text) !== text)).toEqual([]);
      expect(await fired(together(texts, 100))).toEqual([]);
    },
    120 * SECONDS,
  );
});

/** Shows texts in three ways and clicks, focuses and hovers each element; runs in the browser, which has other types. */
function exposed(page: Page, texts: readonly string[]): Promise<string[]> {
  return page.evaluate(`(${READER})(${JSON.stringify(texts)}, ${JSON.stringify(LISTENER)})`);
}
