import { afterAll, beforeAll, describe, expect, spyOn, test } from "bun:test";
import { type AnyContext, type Contracts, definePlugin } from "lectern/core";
import { markup as here } from "../../plugins/content/markup/markup.ts";
import { PAYLOADS } from "../fixtures/payloads.ts";
import { scaled } from "../support/harness/machine_speed.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

const FILLER = `<p>${"Nothing to see here. ".repeat(2_000)}</p>\n`;
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

let runtime: TestRuntime;
let markup: Contracts["markup"];
let book: number;

beforeAll(async () => {
  runtime = await bootTestRuntime({
    env: { CHILD_TIMEOUT: "30" },
    constants: { markup: { maxContentBytes: 1_000_000, maxContentElements: 2_000 } },
  });
  markup = markupOf(runtime);
  book = (await runtime.ask("POST", "/api/books", { body: { name: "Large" } })).body.id;
});

afterAll(() => runtime.stop());

function markupOf({ contexts }: TestRuntime): Contracts["markup"] {
  return (contexts.get("pages") as AnyContext).contracts.markup;
}

const create = (content: { html: string } | { markdown: string }) =>
  runtime.ask("POST", "/api/pages", { body: { book_id: book, name: "Page", ...content } });
const errorOf = (field: string, error: string) => ({
  error: { message: "The given data was invalid.", validation: { [field]: [error] }, code: 422 },
});

test("a runtime without large pages has no children", async () => {
  expect(await create({ html: "<p>small</p>" })).toMatchObject({ status: 200 });
  expect(runtime.runtime.children.pids).toEqual([]);
});

test("content of a few milliseconds is the server's own work, and of more a child's, however long it is", async () => {
  const run = spyOn(runtime.runtime.children, "run");
  for (const [content, times] of [
    [{ html: "<b>a</b>".repeat(500) }, 0],
    [{ html: "<b>a</b>".repeat(1_500) }, 1],
    [{ html: `<p><b><i><u><s><em><tt></p>${"<p>a".repeat(300)}` }, 1],
    [{ html: `<p>${"Nothing to see here. ".repeat(1_000)}</p>` }, 0],
    [{ markdown: "- a\n".repeat(501) }, 0],
    [{ markdown: "Call the **DBA** on duty, and say which node is down, and since when.\n\n".repeat(280) }, 0],
    [{ markdown: "- a\n".repeat(1_600) }, 1],
  ] as const) {
    run.mockClear();
    expect((await create(content)).status).toBe(200);
    expect(run.mock.calls.map(([, { task }]) => task)).toEqual(Array(times).fill("store"));
  }
  run.mockRestore();
});

describe("what a child makes of a page is what the server itself makes of it", () => {
  test.each(PAYLOADS.map((payload) => [payload]))("%s", async (payload) => {
    const input = { html: FILLER + payload };
    expect(await markup.store(input)).toEqual(await here.store(input));
    expect(await markup.filtered(input.html)).toBe(await here.filtered(input.html));
    expect(await markup.preview(input)).toBe(await here.preview(input));
    const written = { markdown: `${"Words upon words. ".repeat(2_000)}\n\n${payload}\n\n- ${payload}` };
    expect(await markup.store(written)).toEqual(await here.store(written));
  });

  test("of texts, comments, links and addresses", async () => {
    const html = `${FILLER}<p><a href="http://old/x#y">a</a> <img src="/a.png" srcset="b.png"> <a href="c">c</a></p>`;
    expect(await markup.text(html)).toBe(await here.text(html));
    expect(await markup.comment(html)).toBe(await here.comment(html));
    const moved = new Map([["http://old/x", "http://new/z"]]);
    expect(await markup.relink({ html, markdown: "" }, moved)).toEqual(
      await here.relink({ html, markdown: "" }, moved),
    );
    expect(await markup.relink({ html, markdown: "" }, new Map([["http://other", "x"]]))).toBeUndefined();
    const change = ({ attribute, address }: { attribute: string; address: string }) =>
      attribute === "srcset" ? null : address === "c" ? `d&"'` : undefined;
    expect(await markup.readdress(html, change)).toBe(await here.readdress(html, change));
  });

  test("of includes, which are asked for in the server", async () => {
    const load = async (ids: readonly number[]) =>
      new Map(
        ids.filter((id) => id < 3).map((id) => [id, id === 1 ? `<p id="a">one {{@2}}</p>${FILLER}` : "<b>two</b>"]),
      );
    const included = async (reference: string, html: string, id: number | null) =>
      `[${reference} ${html.length} ${id}]`;
    for (const html of [`${FILLER}<p>{{@1}} {{@1#a}} {{@3}}</p>`, "<p>{{@1}}</p>", "<p>{{@2}}</p>"]) {
      expect(await markup.render(html, load)).toBe(await here.render(html, load));
      expect(await markup.render(html, load, included)).toBe(await here.render(html, load, included));
    }
  });

  test("with pictures, which are kept in the server", async () => {
    const picture = `data:image/png;base64,${PNG}`;
    const kept = () => {
      let count = 0;
      return async ({ bytes }: { bytes: Uint8Array }) =>
        ++count === 3 ? undefined : `http://localhost/uploads/${bytes.length}-${count}.png?a=1&b=2`;
    };
    for (const input of [
      {
        html: `${FILLER}<p><img src="${picture}"><img src="${picture}" alt="a"><img src="data:image/png;base64,??"><img src="${picture}"></p>`,
      },
      {
        markdown: `${"Words upon words. ".repeat(2_000)}\n\n![a](${picture}) ![b](${picture})\n\n<img src='${picture}'>`,
      },
    ]) {
      expect(await markup.store(input, { saveImage: kept() })).toEqual(await here.store(input, { saveImage: kept() }));
      expect(await markup.store(input)).toEqual(await here.store(input));
      expect(await markup.preview(input)).toBe(await here.preview(input));
    }
  });
});

describe("content is limited", () => {
  const line = "<p>0123456789</p>";
  const ofBytes = (bytes: number) => `<p>${"x".repeat(bytes - 7)}</p>`;

  test("in bytes: up to the limit, and not beyond", async () => {
    expect((await create({ html: ofBytes(1_000_000) })).status).toBe(200);
    const error = "The html may not be larger than 1000000 bytes.";
    expect(await create({ html: ofBytes(1_000_001) })).toMatchObject({ status: 422, body: errorOf("html", error) });
    expect(await create({ html: `<p>${"ż".repeat(500_000)}</p>` })).toMatchObject({ status: 422 });
    const markdown = "x".repeat(1_000_001);
    expect((await create({ markdown })).body).toEqual(
      errorOf("markdown", "The markdown may not be larger than 1000000 bytes."),
    );
    expect((await create({ markdown: "x".repeat(1_000_000) })).status).toBe(200);
  });

  test("not counting the bytes of pictures", async () => {
    const bytes = Buffer.concat([Buffer.from(PNG, "base64"), Buffer.alloc(900_000)]);
    const picture = `<img src="data:image/png;base64,${bytes.toString("base64")}">`;
    const page = await create({ html: `<p>a</p>${picture}` });
    expect(page.status).toBe(200);
    expect(page.body.raw_html).toMatch(/^<p id="bkmrk-a">a<\/p><img src="http:[^"]+\.png" id="[^"]+">$/);
    expect((await create({ html: `${picture}${ofBytes(1_000_000)}` })).status).toBe(422);
  });

  test("in elements: up to the limit, and not beyond", async () => {
    expect((await create({ html: line.repeat(2_000) })).status).toBe(200);
    const error = errorOf("html", "The html may not have more than 2000 elements.");
    expect((await create({ html: line.repeat(2_001) })).body).toEqual(error);
    const written = await create({ markdown: "a\n\n".repeat(2_001) });
    expect(written.body).toEqual(errorOf("markdown", "The markdown may not have more than 2000 elements."));
    expect((await create({ markdown: "a\n\n".repeat(2_000) })).status).toBe(200);
  });

  test("for Markdown that grows by its references: the converter stops resolving them, as cmark does", async () => {
    const markdown = `${`${"[a] ".repeat(200)}\n\n`.repeat(2)}[a]: http://localhost/${"b".repeat(15_000)}`;
    const { status, body } = await create({ markdown });
    expect(status).toBe(200);
    expect(body.html.length).toBeLessThan(20 * markdown.length);
    expect(body.html).toContain("</a> [a] [a]");
  });

  test("for previews and changes as well", async () => {
    const html = line.repeat(2_001);
    expect((await runtime.ask("POST", "/api/drafts/preview", { body: { html } })).status).toBe(422);
    const { id } = (await create({ html: line })).body;
    expect((await runtime.ask("PUT", `/api/pages/${id}`, { body: { html } })).status).toBe(422);
    expect((await runtime.ask("GET", `/api/pages/${id}`)).body.raw_html).toBe(
      '<p id="bkmrk-0123456789">0123456789</p>',
    );
  });

  test("for comments", async () => {
    const page = (await create({ html: line })).body.id;
    const comment = (html: string) => runtime.ask("POST", "/api/comments", { body: { page_id: page, html } });
    const kept = await comment(ofBytes(65_535));
    expect(kept).toMatchObject({ status: 200, body: { html: ofBytes(65_535) } });
    const error = errorOf("html", "The html may not be larger than 65535 bytes.");
    expect((await comment(ofBytes(65_536))).body).toEqual(error);
    const change = await runtime.ask("PUT", `/api/comments/${kept.body.id}`, { body: { html: ofBytes(65_536) } });
    expect(change.body).toEqual(error);
  });
});

test("a large page is created, changed, exported and restored as a small one is", async () => {
  const html = `${FILLER}<h2>Part</h2>${"<p>Words &amp; <b>more</b>.</p>".repeat(500)}`;
  const page = (await create({ html })).body;
  expect(page.raw_html).toBe((await here.store({ html })).html);
  const markdown = `# Part\n\n${"Words and *more*.\n\n".repeat(900)}`.trim();
  const changed = await runtime.ask("PUT", `/api/pages/${page.id}`, { body: { markdown } });
  const stored = await here.store({ markdown });
  expect(changed.body).toMatchObject({ raw_html: stored.html, html: stored.rendered, markdown: stored.markdown });
  for (const format of ["html", "plaintext", "markdown"]) {
    const file = await runtime.ask("GET", `/api/pages/${page.id}/export/${format}`);
    expect(file.status).toBe(200);
    expect(file.body).toContain("Words and");
  }
});

test("hostile content in flight does not keep the others waiting, and is answered", async () => {
  const hostile = [
    { markdown: `a${" ".repeat(8_000)}b` },
    { html: `<p ${Array.from({ length: 60_000 }, (_, index) => `a${index}`).join(" ")}>` },
    { html: "<b><p>".repeat(900) + FILLER },
    { markdown: Array.from({ length: 500 }, (_, depth) => `${"  ".repeat(depth)}- a`).join("\n") },
    { markdown: "**a ".repeat(20_000) },
  ].map(create);
  const done: string[] = [];
  const all = Promise.all(hostile).then((answers) => {
    done.push("hostile");
    return answers;
  });
  expect((await runtime.ask("GET", "/api/books")).status).toBe(200);
  done.push("read");
  for (const { status } of await all) expect([200, 422, 503]).toContain(status);
  expect(done).toEqual(["read", "hostile"]);
});

test("a child that is killed at work is a clear answer, and the next page is saved", async () => {
  const html = `${FILLER}${"<i>a".repeat(1_900)}`;
  await create({ html });
  const [pid] = runtime.runtime.children.pids;
  const work = create({ html: FILLER + "<table><td>".repeat(900) });
  process.kill(pid as number, "SIGKILL");
  const { status, headers, body } = await work;
  // Whether the child had the task by then depends on the scheduler.
  if (status !== 200) {
    expect({ status, body, retry: headers.get("retry-after") }).toEqual({
      status: 503,
      body: { error: { message: "The work on this was interrupted; try again in a moment.", code: 503 } },
      retry: "10",
    });
  }
  expect((await create({ html })).status).toBe(200);
});

test("what takes too long is refused and ends", async () => {
  const seconds = Math.ceil(scaled(3));
  const env = { CHILD_TIMEOUT: String(seconds) };
  const constants = { markup: { maxContentElements: 500_000 } };
  const impatient = await bootTestRuntime({ env, constants, beside: runtime });
  try {
    // Each of the outer elements looks through all of the inner ones for the text of its id.
    const html = "<div id=a>".repeat(190) + "<p> </p>".repeat(480_000);
    const { status, body } = await impatient.ask("POST", "/api/pages", {
      body: { book_id: book, name: "Slow", html },
    });
    expect(status).toBe(422);
    expect(body.error.message).toBe(`This takes more than the ${seconds} seconds it may take; send less at once.`);
    expect(
      (await impatient.ask("POST", "/api/pages", { body: { book_id: book, name: "b", html: FILLER } })).status,
    ).toBe(200);
  } finally {
    await impatient.stop();
  }
});

test("where a plugin changes the converter of Markdown it has its say in large pages, up to a limit", async () => {
  const shouting = definePlugin({
    name: "shouting",
    setup({ contribute }) {
      contribute("markdown_converter", {
        configure: (converter) => void converter.use({ renderer: { strong: ({ text }) => `<b>${text}!</b>` } }),
      });
    },
  });
  const changed = await bootTestRuntime({ extra: [shouting], constants: { markup: { maxHookedBytes: 20_000 } } });
  try {
    const { body } = await changed.ask("POST", "/api/books", { body: { name: "b" } });
    const save = (markdown: string) =>
      changed.ask("POST", "/api/pages", { body: { book_id: body.id, name: "p", markdown } });
    const words = "Words upon words. ";
    expect((await save(`${words.repeat(600)}\n\n**loud**`)).body.html).toContain("<b>loud!</b>");
    const error = "The markdown may not be larger than 20000 bytes, as this instance converts it in its own way.";
    expect((await save(`${words.repeat(1_200)}\n\n**loud**`)).body).toEqual(errorOf("markdown", error));
  } finally {
    await changed.stop();
  }
});

test("of a burst of one user none is refused by its number: 64 pages for child processes at once", async () => {
  const html = FILLER.repeat(2);
  const saved = await Promise.all(Array.from({ length: 64 }, () => create({ html })));
  expect(saved.map(({ status }) => status)).toEqual(saved.map(() => 200));
});
