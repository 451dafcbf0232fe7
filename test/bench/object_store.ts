/**
 * `bun test/bench/object_store.ts [megabytes]`: how much memory a process takes beyond what it held before, while it uploads a stream of
 * 500 MB to a bucket and reads it back, quickly and by a slow reader; over each S3 service that is installed
 * (`support/object_stores`), each in a process of its own. The peak is what the kernel counted (Linux only).
 */
import { readFileSync, writeFileSync } from "node:fs";
import { S3_PARTS, s3Store } from "../../plugins/operations/s3_files/store.ts";
import { OBJECT_STORES, startObjectStore } from "../support/object_stores/mod.ts";
import { record } from "./record.ts";

const MB = 1_000_000;
const SLOW_CHUNKS = 40;
const [megabytes, given, name = ""] = [Number(process.argv[2] ?? 500), process.argv[3], process.argv[4]];

if (given !== undefined) await measure(JSON.parse(given));
else
  for (const kind of OBJECT_STORES) {
    const service = await startObjectStore(kind);
    if (!service) {
      process.stdout.write(`== skipped: ${kind.name} is not installed here (Debian's ${kind.packages})\n`);
      continue;
    }
    const args = [process.execPath, import.meta.path, String(megabytes), JSON.stringify(service), kind.name];
    await Bun.spawn(args, { stdout: "inherit", stderr: "inherit" }).exited;
    await service.stop();
  }

async function measure(service: Parameters<typeof s3Store>[0]): Promise<void> {
  const store = s3Store(service);
  await store.put("bench/small", new Uint8Array(MB));
  await phase("upload", async () => void (await store.put("bench/large", content(megabytes))));
  const file = await store.get("bench/large");
  if (file?.size !== megabytes * MB) throw new Error(`Stored ${file?.size} bytes`);
  await phase("download", async () => {
    for await (const _ of file.stream());
  });
  await phase(`download by a reader of ${SLOW_CHUNKS} chunks, one each 50 ms`, async () => {
    const reader = file.stream().getReader();
    for (let at = 0; at < SLOW_CHUNKS; at++) {
      await reader.read();
      await Bun.sleep(50);
    }
    await reader.cancel();
  });
  await store.remove("bench/large");
}

async function phase(title: string, run: () => Promise<void>): Promise<void> {
  Bun.gc(true);
  // The kernel forgets the peak so far.
  writeFileSync("/proc/self/clear_refs", "5");
  const [before, start] = [memory("VmRSS"), performance.now()];
  await run();
  const seconds = (performance.now() - start) / 1000;
  record(`${megabytes} MB in parts of ${S3_PARTS.bytes} bytes, ${S3_PARTS.parallel} at a time`, {
    service: name,
    work: title,
    "MB of memory": Math.round(memory("VmHWM") - before),
    seconds: seconds.toFixed(1),
  });
}

/** A line of the status of this process, in megabytes. */
function memory(name: string): number {
  const found = new RegExp(`${name}:\\s+(\\d+) kB`).exec(readFileSync("/proc/self/status", "utf8"));
  return (Number(found?.[1]) * 1024) / MB;
}

/** Megabytes, all of the same bytes, so that the memory of the source is none. */
function content(pieces: number): ReadableStream<Uint8Array> {
  const piece = new Uint8Array(MB).fill(7);
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at++ === pieces) controller.close();
      else controller.enqueue(piece);
    },
  });
}
