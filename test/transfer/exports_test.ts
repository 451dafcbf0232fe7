/**
 * Exports over the API: what each format holds, that a document opens without a network, that nothing hidden is in any of them,
 * and that plugins add formats and kinds. One book is created once; tests read it.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { definePlugin, sql } from "lectern/core";
import { pictureForm } from "../support/data/sample_gallery.ts";
import { picture } from "../support/data/sample_pictures.ts";
import { exported, unpacked } from "../support/harness/exports.ts";
import { createItems } from "../support/harness/item_tables.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

const FORMATS = ["html", "plaintext", "markdown", "zip"];
const SECRET = "Only for us";

let runtime: TestRuntime;
let reader: string;
let ids: { book: number; chapter: number; mars: number; venus: number; dome: number; hidden: number; map: number };
let photo: { id: number; url: string; thumbs: { display: string } };
let secretPhoto: { id: number; url: string };

const make = async (path: string, body: unknown) => {
  const answer = await runtime.ask("POST", path, { body });
  expect(answer.status).toBe(200);
  return answer.body.id as number;
};
const pictureOf = async (page: number, name: string, width: number) => {
  const form = pictureForm(await picture("png", { width, height: 10 }), name, { type: "gallery", uploaded_to: page });
  return (await runtime.ask("POST", "/api/image-gallery", { parts: form })).body;
};

/** Counts words and nothing else: a format that a plugin adds. A kind as well: every user's name as a poem. */
const adding = definePlugin({
  name: "adding",
  grants: { write: ["poems" as "books"] },
  migrations: { "0001_init": (db) => createItems(db, "poems") },
  setup({ contribute }) {
    contribute("export_format", {
      name: "count",
      extension: "count",
      async *write({ item, content }) {
        const all = [item, ...item.children, ...item.children.flatMap(({ children }) => children)];
        for (const one of all) yield `${one.kind} ${one.name}: ${(await content(one))?.html.length ?? 0}\n`;
      },
    });
    contribute("content", {
      kind: "poem",
      table: "poems" as "books",
      segment: "poems",
      parents: [],
      columns: [],
      path: sql.lit(""),
    });
    contribute("export_kind", {
      kind: "poem",
      async find(_viewer, id) {
        const entry = { kind: "poem", id, name: `Poem ${id}`, slug: `poem-${id}`, url: "http://localhost/poems/1" };
        return id > 9 ? undefined : { ...entry, priority: 0, tags: [], parents: [] };
      },
      async contents(_viewer, ids) {
        const nobody = { created_by: null, updated_by: null };
        const at = "2026-01-05T12:00:00.000000Z";
        const content = { html: "<p>Roses</p>", markdown: "", revision: 1, created_at: at, updated_at: at, ...nobody };
        return new Map(ids.map((id) => [id, content]));
      },
    });
  },
});

beforeAll(async () => {
  runtime = await bootTestRuntime({ extra: [adding] });
  const views = ["book", "chapter", "page"].map((kind) => `${kind}-view-all`);
  reader = (await runtime.person("reader", ["access-api", "content-export", ...views])).token;
  const book = await make("/api/books", {
    name: "Observatory <1>",
    description_html: "<p>Stars <strong>above</strong></p>",
    tags: [{ name: "sky", value: "clear" }],
  });
  const chapter = await make("/api/chapters", {
    book_id: book,
    name: "Planets",
    description: "Wandering",
    priority: 1,
  });
  const hidden = await make("/api/pages", { chapter_id: chapter, name: SECRET, html: `<p id="x">${SECRET} text</p>` });
  await runtime.ask("PUT", `/api/content-permissions/page/${hidden}`, {
    body: { fallback_permissions: { inheriting: false, view: false, create: false, update: false, delete: false } },
  });
  const mars = await make("/api/pages", { chapter_id: chapter, name: "Mars", html: "<p>Red</p>" });
  const venus = await make("/api/pages", { chapter_id: chapter, name: "Venus", markdown: "Hot *and* bright" });
  const dome = await make("/api/pages", { book_id: book, name: "Dome", html: "<p>It turns</p>", priority: 2 });
  photo = await pictureOf(mars, "rack.png", 2000);
  secretPhoto = await pictureOf(hidden, "secret.png", 12);
  const parts = new FormData();
  for (const [name, value] of Object.entries({ name: "Star map", uploaded_to: String(dome) })) parts.set(name, value);
  parts.set("file", new File(["north up"], "map.TXT"));
  const map = (await runtime.ask("POST", "/api/attachments", { parts })).body.id;
  await make("/api/attachments", { name: "Forecast", uploaded_to: dome, link: "https://example.com/weather" });
  const html = `<p>See <a href="/books">all</a>, <a href="http://localhost/books/observatory-1/page/mars?x=1#y">Mars</a>,
    <a href="http://localhost/attachments/${map}?open=true">map</a>, <a href="http://localhost/link/${mars}#y">Mars</a>,
    <a href="/link/${mars}?x=1">Mars</a>, <a href="/link/${hidden}">there</a>, <a href="http://localhost/link/${mars}0">none</a>,
    <a href="http://localhost/books/observatory-1/page/only-for-us">there</a></p>
    <p><img src="${photo.thumbs.display}" alt="rack" srcset="x.png 2x"> <img src="${photo.url.slice(runtime.baseUrl.length)}">
    <img src="https://example.com/outside.png"> <img src="http://localhost/uploads/images/gallery/2020-01/gone.png"></p>
    <p>{{@${hidden}}} {{@${hidden}#x}} {{@${mars}}} <img src="${secretPhoto.url}"></p><script>alert(1)</script>`;
  await runtime.ask("PUT", `/api/pages/${dome}`, { body: { html } });
  ids = { book, chapter, mars, venus, dome, hidden, map };
}, 120_000);
afterAll(() => runtime.stop());

test("answers are files: type, name and length", async () => {
  for (const [format, end] of [
    ["html", "html"],
    ["plaintext", "txt"],
    ["markdown", "md"],
    ["zip", "zip"],
  ]) {
    const { status, headers, bytes } = await exported(runtime, `/api/pages/${ids.mars}/export/${format}`);
    expect([status, headers.get("content-type")]).toEqual([200, "application/octet-stream"]);
    expect(headers.get("content-disposition")).toBe(`attachment; filename="mars.${end}"`);
    expect(headers.get("content-length")).toBe(String(bytes.length));
    expect(headers.get("x-content-type-options")).toBe("nosniff");
  }
});

describe("a document in HTML", () => {
  test("of a book holds contents, chapters and pages in their order, each reachable", async () => {
    const { text } = await exported(runtime, `/api/books/${ids.book}/export/html`);
    expect(text).toStartWith("<!doctype html>");
    expect(text).toContain("<title>Observatory &lt;1&gt;</title>");
    expect([...text.matchAll(/<h1[^>]*>(.*?)<\/h1>/g)].map(([, name]) => name)).toEqual([
      "Observatory &lt;1&gt;",
      "Planets",
      SECRET,
      "Mars",
      "Venus",
      "Dome",
    ]);
    for (const [, target] of text.matchAll(/href="#((?:page|chapter)-\d+)"/g)) expect(text).toContain(`id="${target}"`);
    expect(text).toContain('<div class="chapter-hint">Planets</div>');
  });

  test("has its pictures inside, and a policy that lets it load nothing", async () => {
    const { text } = await exported(runtime, `/api/pages/${ids.dome}/export/html`);
    const sources = [...text.matchAll(/<img src="([^"]{0,60})/g)].map(([, src]) => src as string);
    expect(sources[0]).toStartWith("data:image/png;base64,");
    expect(sources[1]).toStartWith("data:image/png;base64,");
    expect(sources[2]).toBe("https://example.com/outside.png");
    expect(sources[3]).toBe("http://localhost/uploads/images/gallery/2020-01/gone.png");
    expect(text).not.toContain("srcset");
    expect(text).not.toContain("<script");
    expect(text).not.toMatch(/<link|@import|url\(/);
    expect(text).toContain(`content="default-src 'none'; img-src data:;`);
    expect(text).toContain('href="http://localhost/books"');
  });

  test("shows the picture that is inside, whatever other sources stand around it", async () => {
    const html = `<p><picture><source srcset="https://example.com/wide.webp 2x"><img src="${photo.url}" alt="rack"></picture></p>`;
    const page = await make("/api/pages", { chapter_id: ids.chapter, name: "Sourced", html });
    expect((await runtime.ask("GET", `/api/pages/${page}`)).body.raw_html).toContain("srcset");
    const { text } = await exported(runtime, `/api/pages/${page}/export/html`);
    expect(text).toMatch(/<picture><source ?><img src="data:image\/png;base64,/);
    expect((await runtime.ask("DELETE", `/api/pages/${page}`)).status).toBe(204);
  });

  test("of a page says who wrote it and when", async () => {
    const { text } = await exported(runtime, `/api/pages/${ids.dome}/export/html`);
    expect(text).toContain("<div>Revision #2</div>");
    expect(text).toMatch(/<div>Created \d+ \w+ \d{4} \d\d:\d\d:\d\d by Admin<\/div>/);
  });
});

test("a chapter's plain text and Markdown are laid out as clients know them", async () => {
  const at = `/api/chapters/${ids.chapter}/export`;
  expect((await exported(runtime, `${at}/plaintext`, reader)).text).toBe(
    "Planets\nWandering\n\nMars\nRed\n\nVenus\nHot and bright",
  );
  expect((await exported(runtime, `${at}/markdown`, reader)).text).toBe(
    "# Planets\n\nWandering\n\n# Mars\n\nRed\n\n# Venus\n\nHot *and* bright",
  );
});

describe("a portable archive", () => {
  test("refers to what is in it, and names what goes along", async () => {
    const { data, files } = unpacked((await exported(runtime, `/api/books/${ids.book}/export/zip`)).bytes);
    const [dome] = data.book.pages;
    expect(dome.html).toContain(`href="[[bsexport:page:${ids.mars}]]?x=1#y"`);
    expect(dome.html).toContain(`href="[[bsexport:attachment:${ids.map}]]?open=true"`);
    expect(dome.html).toContain(`href="[[bsexport:page:${ids.mars}]]#y"`);
    expect(dome.html).toContain(`href="[[bsexport:page:${ids.mars}]]?x=1"`);
    expect(dome.html).toContain(`href="http://localhost/link/${ids.mars}0"`);
    expect(dome.html).toContain(`src="[[bsexport:image:${photo.id}]]"`);
    expect(dome.html).toContain('href="/books"');
    const mars = data.book.chapters[0].pages.find(({ id }: { id: number }) => id === ids.mars);
    expect(mars.images).toEqual([{ id: photo.id, name: "rack.png", file: expect.any(String), type: "gallery" }]);
    expect(dome.images).toEqual([]);
    expect(dome.attachments).toEqual([
      { id: ids.map, name: "Star map", file: expect.stringMatching(/^[A-Za-z0-9]{20}\.TXT$/) },
      { id: expect.any(Number), name: "Forecast", link: "https://example.com/weather" },
    ]);
    expect(new TextDecoder().decode(files[dome.attachments[0].file])).toBe("north up");
    expect(data.instance.id).toBe((await runtime.ask("GET", "/api/system")).body.instance_id);
  });

  test("of one page takes along a picture that another page holds", async () => {
    const { data, files } = unpacked((await exported(runtime, `/api/pages/${ids.dome}/export/zip`)).bytes);
    expect(data.page.images.map(({ id }: { id: number }) => id).sort()).toEqual([photo.id, secretPhoto.id].sort());
    expect(data.page.html).toContain("http://localhost/books/observatory-1/page/mars");
    expect(Object.keys(files)).toHaveLength(3);
  });

  test("leaves out a file that the store has lost, and every reference to it", async () => {
    const { body } = await runtime.ask("POST", "/api/pages", { body: { book_id: ids.book, name: "Lossy", html: "x" } });
    const lost = await pictureOf(body.id, "lost.png", 9);
    await runtime.ask("PUT", `/api/pages/${body.id}`, { body: { html: `<p><img src="${lost.url}"></p>` } });
    const [row] = await runtime.store.sql`select file_key from images where id = ${lost.id}`;
    await runtime.contexts.get("images")?.files.remove(row?.file_key);
    const { data, files } = unpacked((await exported(runtime, `/api/pages/${body.id}/export/zip`)).bytes);
    expect([data.page.images, files]).toEqual([[], {}]);
    expect(data.page.html).toContain(lost.url);
    await runtime.ask("DELETE", `/api/pages/${body.id}`);
  });
});

describe("what a reader does not see", () => {
  test("is in no format: no name, no text, no include, no picture", async () => {
    for (const path of [`books/${ids.book}`, `chapters/${ids.chapter}`, `pages/${ids.dome}`])
      for (const format of FORMATS) {
        const { status, bytes, text } = await exported(runtime, `/api/${path}/export/${format}`, reader);
        const { data, files } = format === "zip" ? unpacked(bytes) : { data: text, files: {} };
        const all = JSON.stringify(data);
        expect([path, format, status, all.includes(SECRET)]).toEqual([path, format, 200, false]);
        expect(all).not.toContain(`[[bsexport:page:${ids.hidden}]]`);
        expect(all).not.toContain(`[[bsexport:image:${secretPhoto.id}]]`);
        expect(Object.keys(files).length).toBeLessThan(3);
      }
  });

  test("cannot be exported by itself, and without the permission nothing can", async () => {
    const nobody = (await runtime.person("nobody", ["access-api", "page-view-all"])).token;
    for (const format of FORMATS) {
      const hidden = await exported(runtime, `/api/pages/${ids.hidden}/export/${format}`, reader);
      expect([hidden.status, JSON.parse(hidden.text).error.message]).toEqual([404, "Page not found"]);
      expect((await exported(runtime, `/api/pages/${ids.mars}/export/${format}`, nobody)).status).toBe(403);
    }
  });

  test("no draft is exported with its book", async () => {
    await runtime.store
      .sql`insert into pages (book_id, name, slug, html, markdown, text, priority, editor, draft, owned_by)
      values (${ids.book}, 'Unfinished', '', '<p>x</p>', '', 'x', 1, 'wysiwyg', true, 1)`;
    for (const format of ["html", "plaintext", "markdown"])
      expect((await exported(runtime, `/api/books/${ids.book}/export/${format}`)).text).not.toContain("Unfinished");
    await runtime.store.sql`delete from pages where draft`;
  });
});

test("a plugin adds a format, which every kind has then, and a kind, which has every format", async () => {
  const count = await exported(runtime, `/api/books/${ids.book}/export/count`, reader);
  expect(count.text).toMatch(/^book Observatory <1>: 0\nchapter Planets: 0\npage Dome: \d+\npage Mars: \d+\n/);
  const poem = await exported(runtime, "/api/poems/3/export/markdown", reader);
  expect([poem.headers.get("content-disposition"), poem.text]).toEqual([
    'attachment; filename="poem-3.md"',
    "# Poem 3\n\nRoses",
  ]);
  expect((await exported(runtime, "/api/poems/10/export/html", reader)).status).toBe(404);
  const unknown = await exported(runtime, `/api/pages/${ids.mars}/export/docx`);
  expect(JSON.parse(unknown.text).error.message).toBe(
    `The route api/pages/${ids.mars}/export/docx could not be found.`,
  );
});

test("an export larger than what is held in memory arrives whole, and leaves nothing behind", async () => {
  const line = "<p>All work and no play makes Jack a dull boy.</p>";
  const page = await make("/api/pages", { book_id: ids.book, name: "Long", html: line.repeat(60_000) });
  const { bytes, headers, text } = await exported(runtime, `/api/pages/${page}/export/html`);
  expect(headers.get("content-length")).toBe(String(bytes.length));
  expect(bytes.length).toBeGreaterThan(3_000_000);
  expect(text).toEndWith("</html>\n");
  const markdown = (await exported(runtime, `/api/pages/${page}/export/markdown`)).text;
  expect(markdown.split("\n\n")).toHaveLength(60_001);
  await runtime.ask("DELETE", `/api/pages/${page}`);
}, 120_000);
