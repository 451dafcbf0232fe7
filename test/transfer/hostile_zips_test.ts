/**
 * Archives with wrong sizes, bombs, path traversal and contradictions: each is refused within a second and leaves nothing.
 * Valid ones are in imports_test.ts.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { deflateRawSync } from "node:zlib";
import { png } from "../support/data/sample_pictures.ts";
import { type Packed, portable, upload, zipOf } from "../support/data/sample_zips.ts";
import { scaled } from "../support/harness/machine_speed.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

const PREFIX = "ZIP upload failed with the following validation errors: \n";

let runtime: TestRuntime;
beforeAll(async () => {
  runtime = await bootTestRuntime();
}, 120_000);
afterAll(() => runtime.stop());

const files = () => {
  const root = join(runtime.dataDir, "files");
  if (!existsSync(root)) return [];
  return readdirSync(root, { recursive: true })
    .map(String)
    .filter((name) => statSync(join(root, name)).isFile());
};

describe("archives that are refused, at once and without a trace", () => {
  const page = JSON.stringify({ page: { name: "P", attachments: [{ name: "A", file: "a" }] } });
  const data: Packed = { name: "data.json", content: page };
  const zeros = deflateRawSync(Buffer.alloc(60_000_000));
  const noisy = Buffer.from(crypto.getRandomValues(new Uint8Array(60_000)));
  const many = (count: number, one: unknown) => Array.from({ length: count }, () => one);
  const nested = (depth: number) => `{"page":{"name":"P","x":${"[".repeat(depth)}${"]".repeat(depth)}}}`;
  const a = { name: "files/a", content: noisy };
  const CASES: readonly [what: string, () => Uint8Array<ArrayBuffer>, text: RegExp][] = [
    [
      "a bomb that says it is small",
      () => zipOf([data, { name: "files/a", deflate: zeros, size: 10 }]),
      /Could not read/,
    ],
    [
      "a bomb that says what it is",
      () => zipOf([data, { name: "files/a", deflate: zeros, size: 60_000_000 }]),
      /200 times/,
    ],
    ["data that is a bomb", () => zipOf([{ name: "data.json", deflate: zeros, size: 60_000_000 }]), /200 times/],
    [
      "more than all files may be",
      () =>
        zipOf([
          data,
          ...many(25, 0).map((_, at) => ({
            ...a,
            name: `files/${at}`,
            deflate: noisy,
            size: 50_000_000,
            packedSize: 300_000,
          })),
        ]),
      /Could not read|holds more/,
    ],
    [
      "a file larger than files may be",
      () => zipOf([data, { ...a, deflate: Buffer.alloc(300_000), size: 51_300_000 }]),
      /must not exceed 50 MB/,
    ],
    [
      "fewer bytes than it says",
      () => zipOf([data, { name: "files/a", content: "abc", deflate: true, size: 9 }]),
      /Could not read/,
    ],
    ["other bytes than its sum says", () => zipOf([data, { ...a, crc: 1 }]), /Could not read/],
    ["names that climb", () => zipOf([data, a, { name: "../evil", content: "x" }]), /unsafe names/],
    ["names from the root", () => zipOf([data, a, { name: "/etc/passwd", content: "x" }]), /unsafe names/],
    ["names with a backslash", () => zipOf([data, a, { name: "files\\x", content: "x" }]), /unsafe names/],
    ["names with a control character", () => zipOf([data, a, { name: "files/\0x", content: "x" }]), /unsafe names/],
    ["two entries of one name", () => zipOf([data, a, a]), /same name/],
    ["two sets of data", () => zipOf([data, data, a]), /same name/],
    [
      "entries that share bytes",
      () => zipOf([data, a, { ...a, name: "files/b", offset: 40 + page.length - 1 }]),
      /Could not read/,
    ],
    ["an entry behind the directory", () => zipOf([data, { ...a, offset: 9_000_000 }]), /Could not read/],
    ["encrypted entries", () => zipOf([data, { ...a, flags: 0x801 }]), /encrypted/],
    ["links", () => zipOf([data, { name: "files/a", content: "/etc/passwd", mode: 0o120777 }]), /links/],
    [
      "links that claim to come from DOS",
      () => zipOf([data, { name: "files/a", content: "/etc/passwd", mode: 0o120777, system: 0 }]),
      /links/,
    ],
    [
      "links of Windows",
      () => zipOf([data, { name: "files/a", content: "C:\\x", mode: 0, attributes: 0x420, system: 10 }]),
      /links/,
    ],
    ["an unknown way of packing", () => zipOf([data, { ...a, method: 12 }]), /unknown way/],
    ["more entries than there are", () => zipOf([data, a], { count: 3 }), /Could not read/],
    [
      "more than 20,000 entries",
      () => zipOf(many(20_001, 0).map((_, at) => ({ name: `files/${at}` }))),
      /20000 entries/,
    ],
    ["a directory that is elsewhere", () => zipOf([data, a], { start: 12 }), /Could not read/],
    ["half of it", () => zipOf([data, a]).slice(0, 30_000), /Could not read/],
    ["nothing", () => new Uint8Array(), /./],
    [
      "data of another encoding",
      () => zipOf([{ name: "data.json", content: Buffer.from('{"page":{"name":"\xe9"}}', "latin1") }]),
      /decode ZIP data.json/,
    ],
    [
      "data nested too deep",
      () => zipOf([{ name: "data.json", content: nested(70), deflate: true }]),
      /decode ZIP data.json/,
    ],
    [
      "data nested to break a parser",
      () => zipOf([{ name: "data.json", content: nested(1_000_000), deflate: true }]),
      /decode ZIP data.json/,
    ],
    [
      "data of millions of values",
      () => zipOf([{ name: "data.json", content: `{"page":[${"0,".repeat(2_500_000)}0]}`, deflate: true }]),
      /decode ZIP data.json|200 times/,
    ],
    [
      "more pages than a book may bring",
      () => portable({ book: { name: "B", pages: many(10_001, { name: "P" }) } }),
      /more than 10000/,
    ],
    [
      "more tags than a book may bring",
      () => portable({ book: { name: "B", tags: many(50_001, { name: "T" }) } }),
      /more than 50000/,
    ],
    [
      "a reference that climbs",
      () => portable({ page: { name: "P", attachments: [{ name: "A", file: "../data.json" }] } }),
      /\[page\.attachments\.0\.file\] The file needs/,
    ],
    [
      "a link that would run code",
      () => portable({ page: { name: "P", attachments: [{ name: "A", link: "javascript:alert(1)" }] } }),
      /may not be safe/,
    ],
    [
      "an SVG as a picture",
      () =>
        portable({ page: { name: "P", images: [{ name: "I", file: "i", type: "gallery" }] } }, { i: "<svg></svg>" }),
      /found image\/svg\+xml/,
    ],
  ];
  for (const [what, made, text] of CASES)
    test(what, async () => {
      const bytes = made();
      const before = files();
      const started = performance.now();
      const { status, body } = await upload(runtime, bytes);
      expect(performance.now() - started).toBeLessThan(scaled(1_000));
      expect([status, body.error.message]).toEqual([422, expect.stringMatching(text)]);
      expect(body.message).toStartWith(PREFIX);
      expect(files()).toEqual(before);
    });

  test("and one with a comment, folders and files that nobody names is not", async () => {
    const extra = [{ name: "files/" }, { name: "readme.txt", content: "hello" }];
    const { status, body } = await upload(runtime, zipOf([...extra, data, a], { comment: "PK\x05\x06 made by hand" }));
    expect(status).toBe(200);
    await runtime.ask("DELETE", `/api/imports/${body.id}`);
  });
});

test("an archive with bytes changed at random is refused or read, without a server error", async () => {
  const whole = portable(
    {
      book: {
        id: 1,
        name: "Fuzz",
        pages: [{ id: 2, name: "P", html: "x", images: [{ name: "I", file: "i", type: "gallery" }] }],
      },
    },
    { i: png() },
  );
  let state = 12_345;
  const random = (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state % below;
  };
  for (let round = 0; round < 150; round++) {
    const bytes = whole.slice();
    for (let changes = 1 + random(4); changes > 0; changes--) bytes[random(bytes.length)] = random(256);
    const { status, body } = await upload(runtime, bytes);
    expect([200, 422]).toContain(status);
    if (status === 200) await runtime.ask("DELETE", `/api/imports/${body.id}`);
  }
}, 120_000);
