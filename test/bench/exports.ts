/**
 * `bun test/bench/exports.ts [pages]`: how long the export of a book of so many pages (1000), with images and attachments,
 * takes in each format and its import afterwards, and the server's peak memory beyond its memory before, as the kernel counts
 * it (Linux only). PDF is made by a process of its own, whose memory is not counted.
 */
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { picture } from "../support/data/sample_pictures.ts";

const PORT = 18_084;
const BASE = `http://127.0.0.1:${PORT}`;
const TOKEN = "benchid:benchsecret";
const headers = { authorization: `Token ${TOKEN}` };
const pages = Number(process.argv[2] ?? 1000);
const PAGES_PER_CHAPTER = 25;
const PICTURE_EVERY = 10;
const FILE_EVERY = 50;
const FILE_BYTES = 1_000_000;

const dataDir = mkdtempSync(join(tmpdir(), "lectern-bench-"));
chmodSync(dataDir, 0o755);
const server = Bun.spawn([process.execPath, "core/cli.ts", "serve", "plugins/mod.ts"], {
  env: {
    ...process.env,
    DATABASE_URL: "",
    DATA_DIR: dataDir,
    PORT: String(PORT),
    LOG_LEVEL: "warn",
    ADMIN_TOKEN: TOKEN,
    ADMIN_PASSWORD: "bench password",
    API_REQUESTS_PER_MIN: "1000000",
    CHILD_TIMEOUT: "150",
    CHILD_MEMORY: "2000",
  },
  stdout: "ignore",
  stderr: "inherit",
});

try {
  await answering();
  const book = await build();
  const archive = join(dataDir, "book.zip");
  await drain(`/api/books/${book}/export/plaintext`);
  process.stdout.write(`before: ${memory("VmRSS").toFixed(0)} MB; a book of ${pages} pages\n`);
  for (const format of ["plaintext", "markdown", "html", "zip", "zip"])
    await measure(format, () => drain(`/api/books/${book}/export/${format}`, format === "zip" ? archive : undefined));
  let id = 0;
  await measure("upload", async () => {
    const form = new FormData();
    form.set("file", Bun.file(archive), "book.zip");
    id = (await sent("/api/imports", form)).id;
  });
  await measure("run", () => sent(`/api/imports/${id}`, {}));
  await measure("pdf", () => drain(`/api/books/${book}/export/pdf`));
} finally {
  server.kill("SIGTERM");
  await server.exited;
  rmSync(dataDir, { recursive: true, force: true });
}

async function build(): Promise<number> {
  const { id: book } = await sent("/api/books", { name: "Large" });
  const words = "All work and no play makes Jack a dull boy. ".repeat(12);
  const image = Buffer.from(await picture("png", { width: 800, height: 600 })).toString("base64");
  let chapter = 0;
  for (let at = 0; at < pages; at++) {
    if (at % PAGES_PER_CHAPTER === 0) chapter = (await sent("/api/chapters", { name: `Part ${at}`, book_id: book })).id;
    const shown = at % PICTURE_EVERY === 0 ? `<p><img src="data:image/png;base64,${image}"></p>` : "";
    const html = `<h2>Why</h2><p>${words}</p><ul><li>one</li><li>two</li></ul><p>${words}</p><pre><code>x = ${at}</code></pre>${shown}`;
    const { id: page } = await sent("/api/pages", { name: `Page ${at}`, chapter_id: chapter, html: html.repeat(3) });
    if (at % FILE_EVERY !== 0) continue;
    const form = new FormData();
    form.set("name", `File ${at}`);
    form.set("uploaded_to", String(page));
    form.set(
      "file",
      new File(
        [
          crypto
            .getRandomValues(new Uint8Array(FILE_BYTES / 20))
            .toBase64()
            .repeat(15),
        ],
        "data.bin",
      ),
    );
    await sent("/api/attachments", form);
  }
  return book;
}

async function measure(what: string, run: () => Promise<unknown>): Promise<void> {
  const before = memory("VmRSS");
  writeFileSync(`/proc/${server.pid}/clear_refs`, "5");
  const started = performance.now();
  const size = await run();
  const ms = performance.now() - started;
  const peak = memory("VmHWM");
  const told = typeof size === "number" ? `, ${(size / 1_000_000).toFixed(1)} MB long` : "";
  process.stdout.write(
    `${what.padEnd(10)} ${ms.toFixed(0).padStart(6)} ms, +${(peak - before).toFixed(0)} MB (peak ${peak.toFixed(0)})${told}\n`,
  );
}

async function sent(path: string, body: FormData | object): Promise<{ id: number }> {
  const isForm = body instanceof FormData;
  const response = await fetch(BASE + path, {
    method: "POST",
    headers: isForm ? headers : { ...headers, "content-type": "application/json" },
    body: isForm ? body : JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`Cannot post ${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as { id: number };
}

async function drain(path: string, into?: string): Promise<number> {
  const response = await fetch(BASE + path, { headers });
  if (!response.ok) throw new Error(`Cannot read ${path}: ${response.status} ${await response.text()}`);
  if (into !== undefined) return Bun.write(into, response);
  let size = 0;
  for await (const chunk of response.body as ReadableStream<Uint8Array>) size += chunk.length;
  return size;
}

async function answering(): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    const answer = await fetch(`${BASE}/api/system`, { headers }).catch(() => undefined);
    if (answer?.ok) return;
    await Bun.sleep(100);
  }
  throw new Error("The server does not answer");
}

/** Megabytes of the server, as the kernel counts them. */
function memory(field: "VmRSS" | "VmHWM"): number {
  const status = readFileSync(`/proc/${server.pid}/status`, "utf8");
  return Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) / 1024;
}
