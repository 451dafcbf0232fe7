/**
 * Texts of attachments for the search: what is read of files as programs write them, how rows follow their attachments, and what becomes of
 * files that cannot be read. The fixtures are documents that LibreOffice and the export to PDF have written.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { strToU8, zipSync } from "fflate";
import type { AnyContext, StoredFile } from "lectern/core";
import type { TextsContext } from "../../plugins/content/attachment_texts/contract.ts";
import { extractText } from "../../plugins/content/attachment_texts/extraction/extractor.ts";
import { readAttachment } from "../../plugins/content/attachment_texts/reading.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

setDefaultTimeout(120_000);
const FIXTURES = join(import.meta.dir, "../fixtures/attachments");
const LIMITS = { fileMegabytes: 1, textChars: 2_000, seconds: 30, memoryMegabytes: 512, unpackedMegabytes: 1 };
const never = new AbortController().signal;

let runtime: TestRuntime;
let page: number;
let other: number;
beforeAll(async () => {
  runtime = await bootTestRuntime({ constants: { attachment_texts: LIMITS } });
  const book = (await runtime.ask("POST", "/api/books", { body: { name: "Book" } })).body.id;
  const make = async (name: string) =>
    (await runtime.ask("POST", "/api/pages", { body: { book_id: book, name, html: "<p>x</p>" } })).body.id;
  page = await make("Page");
  other = await make("Other");
});
afterAll(() => runtime.stop());

type Content = string | Uint8Array<ArrayBuffer>;
const fixture = (name: string) => new Uint8Array(readFileSync(join(FIXTURES, name)));

async function send(method: string, path: string, name: string, content: Content, to = page): Promise<number> {
  const parts = new FormData();
  parts.set("name", name);
  if (method === "POST") parts.set("uploaded_to", String(to));
  else parts.set("_method", "PUT");
  parts.set("file", new File([content], name));
  const { status, body } = await runtime.ask("POST", path, { parts });
  expect([name, status]).toEqual([name, 200]);
  return body.id;
}
const attach = (name: string, content: Content, to = page) => send("POST", "/api/attachments", name, content, to);
const replace = (id: number, name: string, content: Content) => send("PUT", `/api/attachments/${id}`, name, content);
const drain = () => runtime.runtime.jobs.drain();

async function rowOf(id: number) {
  const [row] = await runtime.store
    .sql`select page_id, name, state, reason, text, words::text as words from attachment_texts where attachment_id = ${id}`;
  return row;
}

/** Ids of attachments of a page that have a word, as a search over `searched_parts` finds them. */
async function found(word: string, of = page): Promise<number[]> {
  const { slot } = runtime.contexts.get("search") as AnyContext;
  const [parts] = slot("searched_parts");
  if (!parts) throw new Error("No parts are searched");
  const { sql } = runtime.store;
  const rows = await sql`select ${sql(parts.idColumn)} as id from ${sql(parts.table)}
    where ${sql(parts.itemColumn)} = ${of} and ${sql(parts.wordsColumn)} @@ ${`'${word}'`}::tsquery order by 1`;
  return rows.map(({ id }) => id);
}

/** The context of the plugin, with other files than those of the store. */
function contextWith(read: (key: string) => Promise<StoredFile | undefined>): TextsContext {
  const { contracts, db, log, slot } = runtime.contexts.get("attachment_texts") as AnyContext;
  const [keeper] = slot("file_keeper").filter(({ plugin }) => plugin === "attachments");
  const { search } = contracts;
  if (!keeper || !search) throw new Error("Plugins are missing");
  return { db, log, search, limits: LIMITS, enqueueReading: async () => {}, keeper: () => ({ ...keeper, read }) };
}

async function checkOf(name: string) {
  const checks = (runtime.contexts.get("search") as AnyContext).slot("self_check");
  return checks.find((one) => one.name === `attachment_texts/${name}`);
}

test("what is in documents, spreadsheets, PDFs and text files is found, and so are their names", async () => {
  const files: Readonly<Record<string, Content>> = {
    "plan.docx": fixture("plan.docx"),
    "plan.odt": fixture("plan.odt"),
    "plan.pdf": fixture("plan.pdf"),
    "notes.bin": "Call the *database* person: walrus, Größe 42",
  };
  const ids: number[] = [];
  for (const [name, content] of Object.entries(files)) ids.push(await attach(name, content));
  const sheets = [await attach("rack.xlsx", fixture("rack.xlsx")), await attach("rack.ods", fixture("rack.ods"))];
  const parts = { name: "Handbook", uploaded_to: page, link: "https://example.com/walrus" };
  const link = (await runtime.ask("POST", "/api/attachments", { body: parts })).body.id;
  // Names are found before the files were read.
  expect(await found("plan")).toEqual(ids.slice(0, 3));
  await drain();
  expect(await found("grosse")).toEqual(ids);
  expect(await found("walrus")).toEqual([...ids, ...sheets]);
  expect(await found("rot")).toEqual(sheets);
  expect([await found("handbook"), (await rowOf(link))?.state]).toEqual([[link], "none"]);
  expect((await rowOf(ids[0] ?? 0))?.text).toBe(
    "Failover of the walrus cluster\nCall the database person, R&D — at any hour. Größe 42.\nalpha\n4711",
  );
  // The answers of the API have nothing of it.
  expect(JSON.stringify((await runtime.ask("GET", "/api/attachments")).body)).not.toContain("walrus");
});

test("files that cannot be read end in a state with the reason, which the doctor reports, and are found by their names", async () => {
  const zeros = `<w:document xmlns:w="w"><w:t>${"0".repeat(3_000_000)}</w:t></w:document>`;
  const wanted = {
    "locked.pdf": [fixture("locked.pdf"), "failed", "encrypted"],
    "garbage.pdf": ["%PDF-1.7 and then nothing of a PDF", "failed", "damaged"],
    "bomb.docx": [zipSync({ "word/document.xml": strToU8(zeros) }), "failed", "too large"],
    "torn.docx": [fixture("plan.docx").slice(0, 2_000), "failed", "damaged"],
    "big.txt": [`${"word ".repeat(300_000)}`, "failed", "too large"],
    "long.txt": ["word ".repeat(1_000), "read", "cut"],
    "picture.png": [new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0, 0, 0]), "none", null],
    "empty.txt": ["", "none", null],
  } as const;
  const ids = new Map<string, number>();
  for (const [name, [content]] of Object.entries(wanted)) ids.set(name, await attach(name, content as Content));
  await drain();
  for (const [name, [, state, reason]] of Object.entries(wanted))
    expect([name, await rowOf(ids.get(name) ?? 0)]).toMatchObject([name, { state, reason }]);
  expect(await found("bomb.docx")).toEqual([ids.get("bomb.docx") as number]);
  const left = await runtime.store.sql`select from jobs where name = 'attachment_text'`;
  expect(left.length).toBe(0);
  const report = await (await checkOf("unreadable"))?.check();
  expect(report).toMatchObject({ status: "warning", count: 5 });
  expect(report?.examples).toContain(`encrypted: attachment ${ids.get("locked.pdf")}`);
});

test("a row follows its attachment: new names, files and pages, the recycle bin, and both deletions", async () => {
  const id = await attach("draft.txt", "heron");
  await drain();
  await replace(id, "final.txt", "cormorant");
  // The text of the file that is gone is found no more, at once.
  expect([await found("heron"), await found("final")]).toEqual([[], [id]]);
  await drain();
  expect([await found("heron"), await found("cormorant")]).toEqual([[], [id]]);
  await runtime.ask("PUT", `/api/attachments/${id}`, { body: { name: "Pelican" } });
  await drain();
  expect([await found("final"), await found("pelican"), await found("cormorant")]).toEqual([[], [id], [id]]);
  await runtime.ask("PUT", `/api/attachments/${id}`, { body: { uploaded_to: other } });
  expect([await found("cormorant"), await found("cormorant", other)]).toEqual([[], [id]]);
  const kept = await rowOf(id);
  await runtime.ask("DELETE", `/api/pages/${other}`);
  const binned = (await runtime.ask("GET", "/api/recycle-bin?sort=-id&count=1")).body.data[0].id;
  await runtime.ask("PUT", `/api/recycle-bin/${binned}`);
  expect(await rowOf(id)).toEqual(kept);
  const second = await attach("second.txt", "heron", other);
  await runtime.ask("DELETE", `/api/attachments/${second}`);
  expect(await rowOf(second)).toBeUndefined();
  await drain();
  await runtime.ask("DELETE", `/api/pages/${other}`);
  const again = (await runtime.ask("GET", "/api/recycle-bin?sort=-id&count=1")).body.data[0].id;
  await runtime.ask("DELETE", `/api/recycle-bin/${again}`);
  expect([await rowOf(id), await rowOf(second)]).toEqual([undefined, undefined]);
});

test("what was read of a file that is replaced meanwhile is not stored", async () => {
  const id = await attach("old.txt", "egret");
  const context = contextWith(async () => {
    await replace(id, "new.txt", "bittern");
    const bytes = strToU8("egret");
    const stream = () => new Blob([bytes]).stream();
    return { size: bytes.length, modified: new Date(), stream, body: stream, bytes: async () => bytes };
  });
  await readAttachment(context, id, never);
  expect(await rowOf(id)).toMatchObject({ state: "waiting", text: null });
  await drain();
  expect([await found("egret"), await found("bittern")]).toEqual([[], [id]]);
});

test("a store that does not answer fails the try, and a file that ends its server three times is given up", async () => {
  const id = await attach("slow.txt", "osprey");
  const unreachable = contextWith(() => Promise.reject(new Error("the bucket is gone")));
  await expect(readAttachment(unreachable, id, never)).rejects.toThrow("the bucket is gone");
  expect(await rowOf(id)).toMatchObject({ state: "waiting" });
  await runtime.store.sql`update attachment_texts set tries = 3 where attachment_id = ${id}`;
  await drain();
  expect(await rowOf(id)).toMatchObject({ state: "failed", reason: "interrupted" });
  const lost = await attach("lost.txt", "osprey");
  await readAttachment(
    contextWith(async () => undefined),
    lost,
    never,
  );
  expect(await rowOf(lost)).toMatchObject({ state: "failed", reason: "lost" });
  // The doctor has both read again.
  expect(await (await checkOf("unreadable"))?.fix?.()).toBe(2);
  await drain();
  expect(await found("osprey")).toEqual([id, lost]);
});

test("the process is ended at its limits of time and memory, and with the server", async () => {
  const path = join(FIXTURES, "plan.pdf");
  expect(await extractText(path, { ...LIMITS, seconds: 0.01 }, never)).toEqual({ state: "failed", reason: "too slow" });
  expect(await extractText(path, { ...LIMITS, memoryMegabytes: 40 }, never)).toEqual({
    ...{ state: "failed", reason: "too much memory" },
  });
  await expect(extractText(path, LIMITS, AbortSignal.timeout(20))).rejects.toThrow("the server stops");
});

test("a boot enters what has no row, two servers share the reading, and the doctor mends the same", async () => {
  const id = await attach("early.txt", "plover");
  await drain();
  const { sql } = runtime.store;
  const total = async () =>
    Number((await sql`select count(*) as n from attachment_texts where state <> 'waiting'`)[0]?.n);
  const before = await total();
  await sql`delete from attachment_texts where name like '%.txt'`;
  await sql`update attachment_texts set page_id = 0 where name = 'Handbook'`;
  await sql`insert into attachment_texts (attachment_id, page_id, name, state) values (987654, ${page}, 'x', 'none')`;
  const missing = await checkOf("missing");
  expect(await missing?.check()).toMatchObject({ status: "error" });
  const beside = await bootTestRuntime({ beside: runtime, constants: { attachment_texts: LIMITS } });
  // Servers of one database have one store of files.
  rmSync(join(beside.dataDir, "files"), { recursive: true, force: true });
  symlinkSync(join(runtime.dataDir, "files"), join(beside.dataDir, "files"));
  try {
    await Promise.all([drain(), beside.runtime.jobs.drain()]);
    await Promise.all([drain(), beside.runtime.jobs.drain()]);
  } finally {
    await beside.stop();
  }
  expect([await found("plover"), await total(), (await found("handbook")).length]).toEqual([[id], before + 1, 1]);
  expect(await missing?.check()).toMatchObject({ status: "ok" });
  await sql`delete from attachment_texts where name = 'early.txt'`;
  expect(await missing?.fix?.()).toBe(1);
  await drain();
  expect(await found("plover")).toEqual([id]);
  const orphans = await checkOf("attachments");
  expect([await orphans?.check(), await orphans?.fix?.()]).toMatchObject([{ count: 1 }, 1]);
});

test("a server without search, or without attachments, boots and has nothing of this", async () => {
  for (const without of [["search"], ["attachments", "migrate"]]) {
    const reduced = await bootTestRuntime({ beside: runtime, without });
    await reduced.runtime.jobs.drain();
    expect(reduced.contexts.has("attachment_texts")).toBe(true);
    await reduced.stop();
  }
});
