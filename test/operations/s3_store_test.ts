import { afterAll, expect, setSystemTime, test } from "bun:test";
import { below } from "../../core/files/file_store.ts";
import { sweepFiles } from "../../core/files/orphan_sweep.ts";
import { s3Store } from "../../plugins/operations/s3_files/store.ts";
import { fakeS3 } from "../support/fakes/s3.ts";
import { testFileStore } from "../support/harness/file_store_suite.ts";

const service = fakeS3();
afterAll(() => service.stop());
const connection = {
  endpoint: service.endpoint,
  bucket: "files",
  accessKeyId: "id",
  secretAccessKey: "secret",
  region: "us-east-1",
};
const bucket = s3Store(connection);
const store = below(bucket, "images");
const bytes = (text: string) => new TextEncoder().encode(text);
const PIECE = 1_000_000;
const LARGE = 12 * PIECE;

test("a bucket returns what was put, whole and in ranges, until it is removed", async () => {
  expect(await store.put("a/rack.png", bytes("0123456789"))).toBe(10);
  const file = await store.get("a/rack.png");
  expect([file?.size, await new Response(file?.stream()).text()]).toEqual([10, "0123456789"]);
  expect(await new Response(file?.stream({ start: 2, end: 5 })).text()).toBe("234");
  expect(await new Response(file?.body({ start: 10, end: 10 })).text()).toBe("");
  await store.remove("a/rack.png");
  await store.remove("a/rack.png");
  expect(await store.get("a/rack.png")).toBeUndefined();
});

test("a bucket stores an empty file", async () => {
  expect(await store.put("empty", new Blob([]))).toBe(0);
  expect((await store.get("empty"))?.size).toBe(0);
  await store.remove("empty");
});

test("a large stream is uploaded in parts", async () => {
  service.bodies.length = 0;
  const content = new Uint8Array(LARGE).fill(7);
  let sent = 0;
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (sent === LARGE) return controller.close();
      controller.enqueue(content.slice(0, PIECE));
      sent += PIECE;
    },
  });
  expect(await store.put("large", stream)).toBe(LARGE);
  expect(Buffer.compare(service.objects.get("images/large") ?? new Uint8Array(), content)).toBe(0);
  expect(Math.max(...service.bodies)).toBeLessThan(LARGE);
  await store.remove("large");
});

test("a stream that fails leaves no file", async () => {
  let sent = 0;
  const broken = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (sent++ > 8) controller.error(new Error("gone"));
      else controller.enqueue(new Uint8Array(PIECE));
    },
  });
  await expect(store.put("half", broken)).rejects.toThrow('Cannot store the file "images/half"');
  expect([...service.objects.keys()]).toEqual([]);
});

test("a listing reads all pages of the service and returns the keys of the plugin", async () => {
  for (const key of ["b/1", "b/2", "b/3", "c/1", "b/4"]) await store.put(key, bytes(key));
  await bucket.put("other/b", bytes("x"));
  const found = await Array.fromAsync(store.list("b/"));
  expect(found.map(({ key, size }) => [key, size])).toEqual([
    ["b/1", 3],
    ["b/2", 3],
    ["b/3", 3],
    ["b/4", 3],
  ]);
  expect(found[0]?.modified).toEqual(new Date("2026-01-05T11:00:00Z"));
});

/** Pieces of a megabyte, and an error at the end. */
function breaking(pieces: number): ReadableStream<Uint8Array> {
  let sent = 0;
  return new ReadableStream<Uint8Array>({
    pull(controller) {
      if (sent++ === pieces) controller.error(new Error("gone"));
      else controller.enqueue(new Uint8Array(PIECE));
    },
  });
}

test("an upload in parts whose stream fails is aborted on the service", async () => {
  await expect(store.put("half", breaking(20))).rejects.toThrow("Cannot store");
  expect([service.unfinished.size, service.objects.has("images/half")]).toEqual([0, false]);
});

test("requests that the service has no time for are sent again, a bounded number of times", async () => {
  service.failures = 2;
  await store.put("busy", new Uint8Array(LARGE));
  expect((await store.get("busy"))?.size).toBe(LARGE);
  service.failures = 1_000;
  const twice = s3Store({ ...connection, attempts: 2 });
  await expect(twice.get("images/busy")).rejects.toThrow("answered 503");
  expect(service.failures).toBe(998);
  service.failures = 1_000;
  await expect(twice.put("images/busy", new Uint8Array(1))).rejects.toThrow("Cannot store");
  service.failures = 0;
  expect((await store.get("busy"))?.size).toBe(LARGE);
  await store.remove("busy");
});

test("a sweep ends uploads that a crash left, unless they are young or it is a dry run", async () => {
  service.unfinished.set("images/left", new Map());
  const centuryMs = 100 * 365 * 86_400_000;
  expect((await sweepFiles(bucket, [], { dryRun: false, olderThanMs: centuryMs })).unfinished).toEqual([]);
  expect((await sweepFiles(bucket, [], { dryRun: true })).unfinished).toMatchObject([{ key: "images/left", id: "1" }]);
  expect(service.unfinished.size).toBe(1);
  await sweepFiles(bucket, [], { dryRun: false });
  expect(service.unfinished.size).toBe(0);
});

test("signed addresses are there where they are set, at the address of browsers, and the same for a while", async () => {
  await store.put("plan.txt", bytes("x"));
  const shown = { type: "text/plain", disposition: "inline" };
  expect((await store.get("plan.txt"))?.signedAddress).toBeUndefined();
  const signed = s3Store({ ...connection, signed: { seconds: 600, endpoint: "https://objects.example.com/s3" } });
  setSystemTime(new Date("2026-01-05T11:01:00Z"));
  const first = await (await signed.get("images/plan.txt"))?.signedAddress?.(shown);
  setSystemTime(new Date("2026-01-05T11:04:59Z"));
  const second = await (await signed.get("images/plan.txt"))?.signedAddress?.(shown);
  setSystemTime(new Date("2026-01-05T11:05:00Z"));
  const third = await (await signed.get("images/plan.txt"))?.signedAddress?.(shown);
  setSystemTime();
  expect(first).toStartWith("https://objects.example.com/s3/files/images/plan.txt?");
  expect(new URL(first ?? "").searchParams.get("X-Amz-Date")).toBe("20260105T110000Z");
  expect([first === second, first === third]).toEqual([true, false]);
  expect(first).not.toContain("secret");
  await store.remove("plan.txt");
});

testFileStore(() => bucket, "the store in a bucket");
