/**
 * PDF over the API: outline, links and page numbers; made in a process beside the server, which goes on answering, and killed
 * at its limits; and the answer without an engine. The markup for the engine is tested in
 * plugins/transfer/exports/typst/blocks_test.ts.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, spyOn, test } from "bun:test";
import { chmodSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { picture } from "../support/data/sample_pictures.ts";
import { longestDelay } from "../support/harness/event_loop_delay.ts";
import { exported } from "../support/harness/exports.ts";
import { scaled } from "../support/harness/machine_speed.ts";
import { bootTestRuntime, type TestRuntime, type TestRuntimeOptions } from "../support/harness/test_runtime.ts";

setDefaultTimeout(120_000);
let runtime: TestRuntime;
/** Apart from other runs on this machine, which make PDFs of their own. */
const own = mkdtempSync(join(tmpdir(), "lectern-pdfs-"));
const { TMPDIR } = process.env;
const made = async (where: TestRuntime, path: string, body: unknown) =>
  (await where.ask("POST", path, { body })).body.id as number;
const leftovers = () => readdirSync(own).filter((name) => name.startsWith("lectern-pdf-"));
const pagesIn = (text: string) => [...text.matchAll(/\/Type\s*\/Page\b(?!s)/g)].length;

beforeAll(async () => {
  runtime = await bootTestRuntime();
  process.env.TMPDIR = own;
});
afterAll(async () => {
  if (TMPDIR === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = TMPDIR;
  rmSync(own, { recursive: true, force: true });
  await runtime.stop();
});

describe("a PDF", () => {
  test("of a book begins each page on a new sheet, with links between them and nothing left behind", async () => {
    const before = leftovers();
    const book = await made(runtime, "/api/books", { name: "Printed", description: "About" });
    const chapter = await made(runtime, "/api/chapters", { name: "Part", book_id: book });
    const image = Buffer.from(await picture("avif", { width: 40 })).toString("base64");
    await made(runtime, "/api/pages", {
      name: "One",
      chapter_id: chapter,
      html: `<p>x <img src="data:image/avif;base64,${image}"></p>`,
    });
    await made(runtime, "/api/pages", {
      name: "شبكة",
      book_id: book,
      html: '<p><a href="http://localhost/books/printed/page/one">up</a> #panic("x")</p>',
    });
    const { status, headers, bytes, text } = await exported(runtime, `/api/books/${book}/export/pdf`);
    expect([status, headers.get("content-disposition")]).toEqual([200, 'attachment; filename="printed.pdf"']);
    expect(headers.get("content-length")).toBe(String(bytes.length));
    expect(text).toStartWith("%PDF-");
    expect(text.trimEnd()).toEndWith("%%EOF");
    expect(text).toContain("/Outlines");
    expect(leftovers()).toEqual(before);
  });

  test("holds no page its reader does not see", async () => {
    const book = await made(runtime, "/api/books", { name: "Partly hidden" });
    await made(runtime, "/api/pages", { name: "Open", book_id: book, html: "<p>x</p>" });
    const hidden = await made(runtime, "/api/pages", { name: "Closed", book_id: book, html: "<p>x</p>" });
    const fallback = { inheriting: false, view: false, create: false, update: false, delete: false };
    await runtime.ask("PUT", `/api/content-permissions/page/${hidden}`, { body: { fallback_permissions: fallback } });
    const { token } = await runtime.person("reader", [
      "access-api",
      "content-export",
      "book-view-all",
      "page-view-all",
    ]);
    const all = await exported(runtime, `/api/books/${book}/export/pdf`);
    const some = await exported(runtime, `/api/books/${book}/export/pdf`, token);
    expect([pagesIn(all.text), pagesIn(some.text)]).toEqual([3, 2]);
    expect((await exported(runtime, `/api/pages/${hidden}/export/pdf`, token)).status).toBe(404);
  });

  test("is made while others are answered", async () => {
    const book = await made(runtime, "/api/books", { name: "Long" });
    const row = "<tr><td>some</td><td>words</td><td>in cells</td></tr>";
    const html = `<p>${"All work and no play. ".repeat(120)}</p><table>${row.repeat(20)}</table><pre>code</pre>`;
    for (let at = 0; at < 40; at++) await made(runtime, "/api/pages", { name: `Page ${at}`, book_id: book, html });
    const gap = await longestDelay(async () => {
      expect((await exported(runtime, `/api/books/${book}/export/pdf`)).status).toBe(200);
    });
    expect(gap).toBeLessThan(0.5);
  });
});

describe("where limits are set", () => {
  let long: number;
  beforeAll(async () => {
    const book = await made(runtime, "/api/books", { name: "Bound" });
    const html = `<iframe src="//example.com/v"></iframe><details><summary>s</summary>t</details><p style="background:url(http://example.com/)"><img src="http://example.com/x.png"></p><table>${"<tr><td>a</td><td>b</td></tr>".repeat(20_000)}</table>`;
    long = await made(runtime, "/api/pages", { name: "Bound", book_id: book, html });
  });
  /** Another server with the same content, and its long page. */
  const boundRuntime = async (
    options: Pick<TestRuntimeOptions, "env" | "constants">,
    run: (bound: TestRuntime, page: number) => Promise<void>,
  ) => {
    const bound = await bootTestRuntime({ ...options, beside: runtime });
    try {
      await run(bound, long);
    } finally {
      await bound.stop();
    }
  };
  const errorOf = (text: string) => JSON.parse(text).error as { code: number; message: string };

  test("what takes too long is killed, and said so", async () => {
    await boundRuntime({ constants: { exports: { pdfSeconds: 1 } } }, async (bound, page) => {
      const started = performance.now();
      const { text } = await exported(bound, `/api/pages/${page}/export/pdf`);
      expect(errorOf(text)).toEqual({ code: 500, message: expect.stringContaining("not ready within 1 seconds") });
      expect(performance.now() - started).toBeLessThan(scaled(4_000));
    });
  });

  test("what takes too much memory is killed, and said so", async () => {
    await boundRuntime({ constants: { exports: { pdfMegabytes: 100 } } }, async (bound, page) => {
      const { text } = await exported(bound, `/api/pages/${page}/export/pdf`);
      expect(errorOf(text).message).toContain("more than 100 MB of memory");
    });
  });

  test("no engine answers 501 and says what to install; neither does a command that is not there", async () => {
    for (const command of ["none", "no-such-command {input_html_path}"])
      await boundRuntime({ env: { EXPORT_PDF_COMMAND: command } }, async (bound, page) => {
        const { status, text } = await exported(bound, `/api/pages/${page}/export/pdf`);
        expect(status).toBe(501);
        expect(errorOf(text).message).toContain("can install the package @myriaddreamin/typst-ts-node-compiler");
      });
  });

  test("characters that no font has are logged once", async () => {
    const lines: string[] = [];
    const write = spyOn(process.stderr, "write").mockImplementation((line) => lines.push(String(line)) > 0);
    try {
      await boundRuntime({ env: { LOG_LEVEL: "warn" } }, async (bound) => {
        const book = await made(bound, "/api/books", { name: "Tangut" });
        const page = await made(bound, "/api/pages", { book_id: book, name: "𗴂", html: "<p>𗼇𗟲</p>" });
        for (const path of [`/api/pages/${page}`, `/api/books/${book}`])
          expect((await exported(bound, `${path}/export/pdf`)).text).toStartWith("%PDF-");
      });
    } finally {
      write.mockRestore();
    }
    const told = lines.filter((line) => line.includes("Cannot show a writing system"));
    expect([told.length, JSON.parse(told[0] ?? "{}").letter]).toEqual([1, "𗴂"]);
  });

  test("a command is given one HTML file, unfolded and without frames, and none of our secrets", async () => {
    const folder = mkdtempSync(join(tmpdir(), "lectern-command-"));
    const script = join(folder, "make pdf");
    writeFileSync(script, '#!/bin/sh\n(printf "%%PDF-"; cat "$1"; env) > "$2"\n');
    chmodSync(script, 0o755);
    const command = `"${script}" {input_html_path} {output_pdf_path}`;
    await boundRuntime({ env: { EXPORT_PDF_COMMAND: command } }, async (bound, page) => {
      const { status, text } = await exported(bound, `/api/pages/${page}/export/pdf`);
      expect([status, text.slice(0, 20)]).toEqual([200, "%PDF-<!doctype html>"]);
      expect(text).toContain('class="export export-format-pdf export-engine-command"');
      expect(text).toContain('<a href="https://example.com/v">https://example.com/v</a>');
      expect(text).toContain("<details open");
      expect(text).not.toMatch(/ADMIN_|DATABASE_URL|<iframe|x\.png|background:url/);
    });
    rmSync(folder, { recursive: true });
  });
});
