/**
 * What is exported and imported is exported the same once more: for any book, chapter or page, with the links between its
 * parts, files, images and tags. Archives are compared without ids and file names, which are new in every runtime.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import { pictureForm } from "../support/data/sample_gallery.ts";
import { picture } from "../support/data/sample_pictures.ts";
import { upload } from "../support/data/sample_zips.ts";
import { exported, type Unpacked, unpacked } from "../support/harness/exports.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

const RUNS = Number(process.env.ROUND_TRIPS ?? 12);

let runtime: TestRuntime;
beforeAll(async () => {
  runtime = await bootTestRuntime();
}, 120_000);
afterAll(() => runtime.stop());

interface PagePlan {
  readonly name: string;
  readonly markdown: boolean;
  readonly pieces: readonly string[];
  readonly tags: readonly { name: string; value: string }[];
  readonly attachments: readonly { name: string; text: string | null }[];
  readonly pictures: readonly ("png" | "jpeg" | "gif" | "webp" | "avif")[];
  readonly inChapter: boolean;
}

const word = fc.constantFrom("Rack", "Plan B", "Ünïcode ✓", "شبكة", "a & b <c>", '"quoted" [x](y)', "…");
const tags = fc.array(fc.record({ name: word, value: fc.oneof(word, fc.constant("")) }), { maxLength: 3 });
const PIECES = [
  "text",
  "book",
  "chapter",
  "page",
  "attachment",
  "image",
  "foreign",
  "table",
  "code",
  "include",
  "embedded",
];
const pagePlan: fc.Arbitrary<PagePlan> = fc.record({
  name: word,
  markdown: fc.boolean(),
  pieces: fc.array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 8 }),
  tags,
  attachments: fc.array(fc.record({ name: word, text: fc.option(fc.string({ maxLength: 40 })) }), { maxLength: 2 }),
  pictures: fc.array(fc.constantFrom("png", "jpeg", "gif", "webp", "avif"), { maxLength: 2 }),
  inChapter: fc.boolean(),
});
const bookPlan = fc.record({
  name: word,
  description: fc.oneof(word, fc.constant("")),
  cover: fc.boolean(),
  tags,
  pages: fc.array(pagePlan, { minLength: 1, maxLength: 4 }),
});

/** An existing item that content may refer to. */
interface Made {
  readonly book: string;
  readonly chapter: string;
  readonly pages: string[];
  readonly pageIds: number[];
  readonly attachments: string[];
  readonly pictures: string[];
}

const base64 = async () => Buffer.from(await picture("png", { width: 3, height: 3 })).toString("base64");

async function contentOf(plan: PagePlan, made: Made): Promise<string> {
  const pictureData = `data:image/png;base64,${await base64()}`;
  const targets: Record<string, string | undefined> = {
    book: made.book,
    chapter: `${made.chapter}#part`,
    page: made.pages.at(-1),
    attachment: made.attachments.at(-1) && `${made.attachments.at(-1)}?open=true`,
    foreign: "http://localhost/books/elsewhere/page/x",
  };
  const link = (url: string) => (plan.markdown ? `See [it](${url}).` : `<p>See <a href="${url}">it</a>.</p>`);
  const image = (url: string) => (plan.markdown ? `![i](${url})` : `<p><img src="${url}" alt="i"></p>`);
  const own = (piece: string) => {
    if (piece === "image") return image(made.pictures.at(-1) ?? "https://example.com/x.png");
    if (piece === "embedded") return image(pictureData);
    if (piece === "include")
      return plan.markdown ? `{{@${made.pageIds[0] ?? 0}}}` : `<p>{{@${made.pageIds[0] ?? 0}}}</p>`;
    if (piece === "table") return "<table><tbody><tr><td>a</td><td>b</td></tr></tbody></table>";
    if (piece === "code") return plan.markdown ? "```js\nif (a < b) c();\n```" : "<pre><code>a &lt; b</code></pre>";
    if (piece === "text")
      return plan.markdown ? "# Word\n\n*Ünïcode* ✓ <b>x</b>" : "<h2>Word</h2><p>Ünïcode ✓ <b>x</b></p>";
    return link(targets[piece] ?? "https://example.com/");
  };
  return plan.pieces.map(own).join("\n\n");
}

const make = async (path: string, body: unknown) => {
  const answer = await runtime.ask("POST", path, { body });
  if (answer.status !== 200) throw new Error(`Cannot make ${path}: ${JSON.stringify(answer.body)}`);
  return answer.body;
};

async function build(plan: {
  name: string;
  description: string;
  cover: boolean;
  tags: unknown;
  pages: readonly PagePlan[];
}) {
  const book = await make("/api/books", { name: plan.name, description: plan.description, tags: plan.tags });
  if (plan.cover) {
    const parts = pictureForm(await picture("png", { width: 20 }), "cover.png", { _method: "PUT" });
    await runtime.ask("POST", `/api/books/${book.id}`, { parts });
  }
  const chapter = await make("/api/chapters", {
    book_id: book.id,
    name: "Part",
    description_html: `<p><a href="http://localhost/books/${book.slug}">up</a></p>`,
  });
  const made: Made = {
    book: `http://localhost/books/${book.slug}`,
    chapter: `http://localhost/books/${book.slug}/chapter/${chapter.slug}`,
    pages: [],
    pageIds: [],
    attachments: [],
    pictures: [],
  };
  for (const page of plan.pages) {
    const place = page.inChapter ? { chapter_id: chapter.id } : { book_id: book.id };
    const { id, slug } = await make("/api/pages", { ...place, name: page.name, html: "<p>x</p>", tags: page.tags });
    for (const { name, text } of page.attachments) {
      const parts = new FormData();
      parts.set("name", name);
      parts.set("uploaded_to", String(id));
      if (text === null) parts.set("link", "https://example.com/doc");
      else parts.set("file", new File([text], "notes.txt"));
      const { body } = await runtime.ask("POST", "/api/attachments", { parts });
      made.attachments.push(`http://localhost/attachments/${body.id}`);
    }
    for (const format of page.pictures) {
      const parts = pictureForm(await picture(format, { width: 12 }), `p.${format}`, {
        type: "gallery",
        uploaded_to: id,
      });
      made.pictures.push((await runtime.ask("POST", "/api/image-gallery", { parts })).body.url);
    }
    const content = await contentOf(page, made);
    await runtime.ask("PUT", `/api/pages/${id}`, { body: page.markdown ? { markdown: content } : { html: content } });
    made.pages.push(`http://localhost/books/${book.slug}/page/${slug}`);
    made.pageIds.push(id);
  }
  return { book: book.id as number, chapter: chapter.id as number, page: made.pageIds[0] as number };
}

/** An archive's data with numbers in the order of their appearance, and files by what is in them. */
function comparable({ data, files }: Unpacked): unknown {
  const { exported_at: _at, ...rest } = data;
  const numbers = new Map<string, number>();
  const numberOf = (id: string) => {
    if (!numbers.has(id)) numbers.set(id, numbers.size);
    return numbers.get(id) as number;
  };
  const KINDS: Record<string, string> = {
    chapters: "chapter",
    pages: "page",
    attachments: "attachment",
    images: "image",
  };
  // biome-ignore lint/suspicious/noExplicitAny: data of an archive, of any shape
  const number = (kind: string, item: any): any => {
    const { priority: _priority, ...kept } = item;
    const numbered = "id" in kept ? { ...kept, id: numberOf(`${kind}:${kept.id}`) } : kept;
    for (const key of ["file", "cover"]) {
      const content = files[numbered[key]];
      // Covers are scaled once more, which may change their bytes.
      if (content) numbered[key] = key === "cover" ? "a cover" : Buffer.from(content).toString("base64");
    }
    for (const [list, inner] of Object.entries(KINDS))
      if (Array.isArray(numbered[list])) numbered[list] = numbered[list].map((one: unknown) => number(inner, one));
    return numbered;
  };
  const items = Object.fromEntries(
    Object.entries(rest).map(([kind, item]) => [kind, kind === "instance" ? item : number(kind, item)]),
  );
  const text = JSON.stringify(items).replace(
    /\[\[bsexport:(\w+):(\d+)\]\]/g,
    (_, kind: string, id: string) => `[[${kind} ${numberOf(`${kind}:${id}`)}]]`,
  );
  // Archives have no reference for what a page includes: it is named by its number there.
  return JSON.parse(
    text.replace(/\{\{@(\d+)/g, (whole, id) => (numbers.has(`page:${id}`) ? `{{@#${numberOf(`page:${id}`)}` : whole)),
  );
}

async function imported(bytes: Uint8Array, parent: object): Promise<{ id: number; type: string }> {
  const { body } = await upload(runtime, new Uint8Array(bytes));
  if (body.id === undefined) throw new Error(`Cannot upload: ${body.message}`);
  const ran = await runtime.ask("POST", `/api/imports/${body.id}`, { body: parent });
  if (ran.status !== 200) throw new Error(`Cannot run: ${JSON.stringify(ran.body)}`);
  return { id: ran.body.id, type: body.type };
}

test(
  "an export that is imported exports the same again",
  async () => {
    const target = (await make("/api/books", { name: "Target" })).id;
    await fc.assert(
      fc.asyncProperty(bookPlan, async (plan) => {
        const ids = await build(plan);
        for (const [kind, segment] of [
          ["book", "books"],
          ["chapter", "chapters"],
          ["page", "pages"],
        ] as const) {
          // What lies outside the archive is included from where it is: the original, which names other things.
          if (kind !== "book" && plan.pages.some((page) => page.markdown && page.pieces.includes("include"))) continue;
          const first = (await exported(runtime, `/api/${segment}/${ids[kind]}/export/zip`)).bytes;
          const { id, type } = await imported(first, { parent_type: "book", parent_id: target });
          expect(type).toBe(kind);
          const second = (await exported(runtime, `/api/${segment}/${id}/export/zip`)).bytes;
          expect(comparable(unpacked(second))).toEqual(comparable(unpacked(first)));
        }
      }),
      { numRuns: RUNS, seed: 7, endOnFailure: true },
    );
  },
  RUNS * 10_000,
);
