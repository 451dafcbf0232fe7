/**
 * `bun test/bench/upload.ts [megabytes]`: how much memory the server takes at its peak, beyond what it held before, while
 * a file is uploaded, read as base64, and downloaded; three times each, over HTTP and the embedded store. The peak is what
 * the kernel counted (Linux only).
 */
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const PORT = 18_082;
const BASE = `http://127.0.0.1:${PORT}`;
const TOKEN = "benchid:benchsecret";
const headers = { authorization: `Token ${TOKEN}` };
const ROUNDS = 3;
const megabytes = Number(process.argv[2] ?? 50);

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
  },
  stdout: "ignore",
  stderr: "inherit",
});

try {
  await answering();
  const { id: book } = await post("/api/books", { name: "Files" });
  const { id: page } = await post("/api/pages", { book_id: book, name: "Holder", html: "<p>x</p>" });
  await use(await attach(page, new File(["small"], "small.bin")));
  const path = join(dataDir, "large.bin");
  writeFileSync(path, Buffer.alloc(megabytes * 1_000_000, "large file "));
  process.stdout.write(`before: ${memory("VmRSS").toFixed(0)} MB; a file of ${megabytes} MB\n`);
  for (let round = 1; round <= ROUNDS; round++) {
    let id = 0;
    await measure("upload", async () => {
      id = await attach(page, Bun.file(path));
    });
    await measure("read as base64", () => drain(`/api/attachments/${id}`));
    await measure("download", () => drain(`/attachments/${id}`));
  }
} finally {
  server.kill("SIGTERM");
  await server.exited;
  rmSync(dataDir, { recursive: true, force: true });
}

async function measure(what: string, run: () => Promise<unknown>): Promise<void> {
  const before = memory("VmRSS");
  writeFileSync(`/proc/${server.pid}/clear_refs`, "5");
  const started = performance.now();
  await run();
  const ms = performance.now() - started;
  const peak = memory("VmHWM");
  process.stdout.write(
    `${what.padEnd(15)} +${(peak - before).toFixed(1)} MB (peak ${peak.toFixed(0)}), ${ms.toFixed(0)} ms\n`,
  );
}

async function use(id: number): Promise<void> {
  await drain(`/api/attachments/${id}`);
  await drain(`/attachments/${id}`);
}

async function attach(page: number, file: Blob): Promise<number> {
  const form = new FormData();
  form.set("name", "Large");
  form.set("uploaded_to", String(page));
  form.set("file", file, "large.bin");
  const response = await fetch(`${BASE}/api/attachments`, { method: "POST", headers, body: form });
  if (!response.ok) throw new Error(`Cannot attach: ${response.status} ${await response.text()}`);
  return ((await response.json()) as { id: number }).id;
}

/** Reads an answer without keeping it. */
async function drain(path: string): Promise<number> {
  let bytes = 0;
  const response = await fetch(BASE + path, { headers });
  for await (const chunk of response.body ?? []) bytes += chunk.length;
  return bytes;
}

async function post(path: string, body: unknown): Promise<{ id: number }> {
  const init = { method: "POST", headers: { ...headers, "content-type": "application/json" } };
  return (await fetch(BASE + path, { ...init, body: JSON.stringify(body) })).json() as Promise<{ id: number }>;
}

async function answering(): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    const answers = await fetch(BASE).then(
      () => true,
      () => false,
    );
    if (answers) return;
    await Bun.sleep(50);
  }
  throw new Error("Cannot measure: nothing answers");
}

/** In megabytes, as the kernel counts: VmRSS is now, VmHWM the most since it was last reset. */
function memory(field: "VmRSS" | "VmHWM"): number {
  const found = new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync(`/proc/${server.pid}/status`, "utf8"));
  return Number(found?.[1] ?? 0) / 1000;
}
