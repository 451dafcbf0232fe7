import { describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { folderStore, type StoredFile } from "../files/file_store.ts";
import { contentDisposition, fileResponse } from "./file_response.ts";

const folder = mkdtempSync(join(tmpdir(), "lectern-answers-"));
const store = folderStore(folder);
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

async function stored(content: Uint8Array): Promise<StoredFile> {
  const key = crypto.randomUUID();
  await store.put(key, content);
  return (await store.get(key)) as StoredFile;
}

describe("fileResponse()", () => {
  const ask = async (headers: Record<string, string>) => {
    const file = await stored(new TextEncoder().encode("0123456789"));
    const response = fileResponse(new Headers(headers), { file, etag: "v1", type: "text/plain" });
    const { status } = response;
    return { status, range: response.headers.get("content-range"), text: await response.text() };
  };
  const whole = { status: 200, range: null, text: "0123456789" };

  test("sends the whole file, or the requested range", async () => {
    expect(await ask({})).toEqual(whole);
    const cases: [range: string, shown: string, text: string][] = [
      ["bytes=0-3", "bytes 0-3/10", "0123"],
      ["bytes=8-", "bytes 8-9/10", "89"],
      ["bytes=-3", "bytes 7-9/10", "789"],
      ["bytes=-99", "bytes 0-9/10", "0123456789"],
      ["bytes=5-99999", "bytes 5-9/10", "56789"],
    ];
    for (const [range, shown, text] of cases) expect(await ask({ range })).toEqual({ status: 206, range: shown, text });
  });

  test("answers 416 for a range beyond the end, and ignores anything but a single range", async () => {
    for (const range of ["bytes=10-", "bytes=-0", "bytes=99-100"])
      expect(await ask({ range })).toEqual({ status: 416, range: "bytes */10", text: "" });
    for (const range of ["bytes=", "bytes=-", "bytes=3-1", "bytes=0-1,4-5", "items=0-1", "bytes=a-b"])
      expect(await ask({ range })).toEqual(whole);
  });

  test("answers 304 if the client has the current content", async () => {
    expect(await ask({ "if-none-match": '"v1"' })).toEqual({ status: 304, range: null, text: "" });
    expect(await ask({ "if-none-match": 'W/"v0", W/"v1"' })).toMatchObject({ status: 304 });
    expect(await ask({ "if-none-match": '"v0"' })).toEqual(whole);
    expect(await ask({ range: "bytes=0-0", "if-range": '"v1"' })).toMatchObject({ status: 206, text: "0" });
    expect(await ask({ range: "bytes=0-0", "if-range": '"v0"' })).toEqual(whole);
  });
});

test("contentDisposition() escapes every name", () => {
  const cases: [name: string, header: string][] = [
    ["a b.pdf", 'attachment; filename="a b.pdf"'],
    [
      'x"; filename="evil.exe',
      `attachment; filename="x_; filename=_evil.exe"; filename*=UTF-8''x%22%3B%20filename%3D%22evil.exe`,
    ],
    ["a\r\nSet-Cookie: x=1", 'attachment; filename="aSet-Cookie: x=1"'],
    ["../../etc/passwd", 'attachment; filename="..-..-etc-passwd"'],
    [
      "Übersicht’(1).pdf",
      "attachment; filename=\"Ubersicht_(1).pdf\"; filename*=UTF-8''%C3%9Cbersicht%E2%80%99%281%29.pdf",
    ],
    ["photo\u202egpj.exe", 'attachment; filename="photogpj.exe"'],
    ["\u0000\u0007 ", 'attachment; filename="file"'],
    ["\ud800.txt", "attachment; filename=\"_.txt\"; filename*=UTF-8''%EF%BF%BD.txt"],
  ];
  for (const [name, header] of cases) {
    expect(contentDisposition("attachment", name)).toBe(header);
    expect(new Headers({ "content-disposition": header }).get("content-disposition")).toBe(header);
  }
});
