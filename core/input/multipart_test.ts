import { expect, test } from "bun:test";
import { ApiError } from "../errors.ts";
import { type Part, readParts } from "./multipart.ts";
import { isUpload, type Keep, keepInMemory } from "./uploads.ts";

const TYPE = "multipart/form-data; boundary=x";
const LIMITS = { maxFields: 10, maxFiles: 2, maxTextBytes: 100, maxNameChars: 100 };

function field(name: string, value: string): string {
  return `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
}

function file(name: string, fileName: string, value: string): string {
  return `--x\r\nContent-Disposition: form-data; name="${name}"; filename="${fileName}"\r\nContent-Type: text/csv\r\n\r\n${value}\r\n`;
}

/** A body in chunks of a few bytes. */
async function* body(text: string, step = 5): AsyncGenerator<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length; at += step) yield bytes.subarray(at, at + step);
}

async function shown(parts: readonly Part[]): Promise<unknown[]> {
  const values = parts.map(async ([name, value]) => [
    name,
    isUpload(value) ? { name: value.name, text: new TextDecoder().decode(await value.bytes()) } : value,
  ]);
  return Promise.all(values);
}

function refusal(pending: Promise<unknown>): Promise<string> {
  return pending.then(
    () => "none",
    (error: unknown) => (error instanceof ApiError ? `${error.status} ${error.message}` : String(error)),
  );
}

test("parts are in the order of the form, whatever the chunks", async () => {
  const text = `${field("a", "ü")}${file("f", "ä.csv", "1\r\n--2")}${field("b", "")}${file("g", "", "")}--x--\r\n`;
  const found = [
    ["a", "ü"],
    ["f", { name: "ä.csv", text: "1\r\n--2" }],
    ["b", ""],
    ["g", { name: "", text: "" }],
  ];
  for (const step of [1, 2, 3, 7, 64, 10_000])
    expect(
      await shown(await readParts(body(text, step), TYPE, LIMITS, { keep: keepInMemory, pause: () => undefined })),
    ).toEqual(found);
});

test("a form is read no faster than its files are written", async () => {
  let read = 0;
  let kept = 0;
  let furthest = 0;
  const chunk = new Uint8Array(100_000);
  const taken: Uint8Array[] = [];
  async function* pieces(): AsyncGenerator<Uint8Array> {
    yield new TextEncoder().encode(file("f", "large.bin", "").slice(0, -2));
    for (; read < 100; read++) {
      taken.push(chunk.slice());
      yield taken.at(-1) as Uint8Array;
    }
    yield new TextEncoder().encode("\r\n--x--\r\n");
  }
  const keep: Keep = async (facts, content) => {
    for await (const part of content) {
      kept += part.byteLength;
      furthest = Math.max(furthest, read * chunk.length - kept);
      await new Promise((resolve) => setImmediate(resolve));
    }
    return keepInMemory(facts, [] as unknown as AsyncIterable<Uint8Array>);
  };
  await readParts(pieces(), TYPE, LIMITS, { keep: keep, pause: () => undefined });
  expect(kept).toBe(100 * chunk.length);
  expect(furthest).toBeLessThan(5 * chunk.length);
  // The chunks that were written have been freed meanwhile.
  expect(taken.filter(({ byteLength }) => byteLength > 0).length).toBeLessThan(10);
});

test("files have the content that was sent, however slowly they are written and whatever the chunks", async () => {
  const files = Array.from({ length: 3 }, (_, at) => crypto.getRandomValues(new Uint8Array(60_000 + at)));
  const heads = files.map((_, at) => Buffer.from(`${at ? "\r\n" : ""}${file("f", `${at}.bin`, "").slice(0, -2)}`));
  const whole = Buffer.concat([
    ...files.flatMap((content, at) => [heads[at] as Buffer, content]),
    Buffer.from(`\r\n${field("a", "1".repeat(90))}--x--\r\n`),
  ]);
  async function* pieces(step: number): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < whole.length; at += step) yield new Uint8Array(whole.subarray(at, at + step));
  }
  const slow =
    (pause: (name: string) => number): Keep =>
    async (facts, content) => {
      const parts: Uint8Array[] = [];
      for await (const part of content) {
        await Bun.sleep(pause(facts.name));
        parts.push(new Uint8Array(part));
      }
      return keepInMemory(
        facts,
        (async function* () {
          yield* parts;
        })(),
      );
    };
  const limits = { ...LIMITS, maxFiles: 3 };
  for (const step of [900, 4096, 70_000, 1_000_000])
    for (const pause of [() => 0, (name: string) => (name === "0.bin" ? 20 : 0)]) {
      const parts = await readParts(pieces(step), TYPE, limits, { keep: slow(pause), pause: () => undefined });
      for (const [at, content] of files.entries()) {
        const upload = parts[at]?.[1];
        expect(isUpload(upload) && Bun.hash(await upload.bytes())).toBe(Bun.hash(content));
      }
    }
});

test("too many fields or files are a 400, too much text is a 413", async () => {
  const read = (text: string) =>
    refusal(readParts(body(`${text}--x--\r\n`, 64), TYPE, LIMITS, { keep: keepInMemory, pause: () => undefined }));
  expect(await read(field("a", "1").repeat(11))).toBe("400 The request has more than the 10 fields allowed.");
  expect(await read(field("n".repeat(51), "1").repeat(2))).toBe(
    "400 The request has more than the 100 characters of names allowed.",
  );
  expect(await read(file("a", "a.txt", "1").repeat(3))).toBe("400 The request has more than the 2 files allowed.");
  const crowded = "413 The text fields of the form have more than the 100 bytes allowed.";
  expect(await read(field("a", "1".repeat(101)))).toBe(crowded);
  expect(await read(field("a", "1".repeat(51)).repeat(2))).toBe(crowded);
});

test("a truncated form is refused, and the error reaches the writer of its file", async () => {
  const unreadable = "400 The request body could not be parsed as multipart form data.";
  const whole = `${field("a", "1")}${file("f", "a.csv", "12345")}--x--`;
  for (let length = 1; length < whole.length; length++)
    expect(
      await refusal(
        readParts(body(whole.slice(0, length), 64), TYPE, LIMITS, { keep: keepInMemory, pause: () => undefined }),
      ),
    ).toBe(unreadable);
});

test("errors of the body or the disk are rethrown once all writes have settled", async () => {
  let isOpen = false;
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield new TextEncoder().encode(file("f", "a.csv", "12345"));
    throw new Error("gone");
  }
  const keep: Keep = async (facts, content) => {
    isOpen = true;
    try {
      return await keepInMemory(facts, content);
    } finally {
      isOpen = false;
    }
  };
  expect(await refusal(readParts(broken(), TYPE, LIMITS, { keep: keep, pause: () => undefined }))).toBe("Error: gone");
  expect(isOpen).toBe(false);
  const full: Keep = () => Promise.reject(new Error("disk full"));
  const large = `${file("f", "a.csv", "1".repeat(900_000))}--x--`;
  expect(await refusal(readParts(body(large, 65_536), TYPE, LIMITS, { keep: full, pause: () => undefined }))).toBe(
    "Error: disk full",
  );
});
