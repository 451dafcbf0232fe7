/** Invalid input for attachments leaves nothing behind: neither rows nor stored files nor files of requests under way. */
import { expect, test } from "bun:test";
import { connect } from "node:net";
import { openAttachments } from "../support/harness/attachments.ts";

const LIMIT = 50_000 * 1024;
const stage = openAttachments();

test("files of every name and none are taken, and what they are called breaks no answer", async () => {
  const { attach, runtime } = stage();
  const names: [sent: string, extension: string][] = [
    ["no-extension", ""],
    ["../../etc/passwd.txt", "txt"],
    ["..\\boot.ini", "ini"],
    ["a\u0000b.txt", "txt"],
    ["photo\u202egpj.exe", "exe"],
    ["notes.\u202ef\u0007dp", "fdp"],
    ['quote".html', "html"],
    ["line\r\nbreak.csv", "csv"],
    [`${"n".repeat(300)}.${"x".repeat(30)}`, "x".repeat(20)],
    [".htaccess", "htaccess"],
    ["日本語.PDF", "PDF"],
  ];
  for (const [sent, extension] of names) {
    const made = await attach({ name: sent.slice(0, 255), file: new File(["x"], sent, { type: "text/html" }) });
    expect([made.status, made.body.extension]).toEqual([200, extension]);
    for (const query of ["", "?open=true"]) {
      const { status, headers } = await runtime.ask("GET", `/attachments/${made.body.id}${query}`);
      expect([status, headers.get("x-content-type-options")]).toEqual([200, "nosniff"]);
      expect(headers.get("content-security-policy")).toStartWith("sandbox;");
      const isShown = query !== "" && extension === "PDF";
      expect(headers.get("content-disposition")).toStartWith(
        isShown ? "inline;" : /txt/.test(extension) && query ? "inline;" : "attachment;",
      );
    }
    const renamed = new FormData();
    renamed.set("_method", "PUT");
    renamed.set("file", new File(["x"], sent));
    const { name } = (await runtime.ask("POST", `/api/attachments/${made.body.id}`, { parts: renamed })).body;
    expect(name).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u);
    await runtime.ask("DELETE", `/api/attachments/${made.body.id}`);
  }
});

test("names have up to 255 characters, and a file of no bytes is a file", async () => {
  const { attach, runtime, leavesNothing } = stage();
  const long = await attach({ name: "ü".repeat(255), file: new File([], "empty.bin") });
  expect(long.body).toMatchObject({ name: "ü".repeat(255), extension: "bin" });
  expect((await runtime.ask("GET", `/api/attachments/${long.body.id}`)).body.content).toBe("");
  expect((await runtime.ask("GET", `/attachments/${long.body.id}`)).body).toBe("");
  await runtime.ask("DELETE", `/api/attachments/${long.body.id}`);
  await leavesNothing(async () => {
    const { status, body } = await attach({ name: "n".repeat(256), file: new File(["x"], "x.txt") });
    expect([status, body.error.validation]).toEqual([
      422,
      { name: ["The name may not be greater than 255 characters."] },
    ]);
  });
});

test("types other than the rules want are refused by name, and nothing is stored", async () => {
  const { attach, leavesNothing } = stage();
  const cases: [fields: Record<string, string | File>, faults: Record<string, string[]>][] = [
    [{ file: "words" }, { file: ["The file must be provided as a valid file."] }],
    [{ link: new File(["x"], "x.txt") }, { link: ["The link must be a string."] }],
    [{ link: "https://example.com", name: new File(["x"], "x.txt") }, { name: ["The name must be a string."] }],
    [
      { link: "https://example.com", uploaded_to: new File(["1"], "1") },
      { uploaded_to: ["The uploaded to must be an integer."] },
    ],
    [{ link: " \tJavaScript:x" }, { link: ["The provided link may not be safe."] }],
  ];
  for (const [fields, errors] of cases)
    await leavesNothing(async () => {
      const { status, body } = await attach(fields);
      expect(status).toBe(422);
      expect(body.error.validation).toMatchObject(errors);
    });
});

test("a link that browsers would run leads nowhere", async () => {
  const { attach, runtime } = stage();
  const { id } = (await attach({ link: "java\tscript:alert(1)" })).body;
  expect((await runtime.ask("GET", `/attachments/${id}`)).status).toBe(404);
  expect((await runtime.ask("GET", `/api/attachments/${id}`)).body.links.html).toContain(
    `href="http://localhost/attachments/${id}"`,
  );
  await runtime.ask("DELETE", `/api/attachments/${id}`);
});

test("a file may have 51,200,000 bytes and not one more", async () => {
  const { attach, runtime, leavesNothing } = stage();
  const fits = await attach({ file: new File([new Uint8Array(LIMIT)], "large.bin") });
  expect(fits.status).toBe(200);
  const size = Number((await runtime.ask("HEAD", `/attachments/${fits.body.id}`)).headers.get("content-length"));
  expect(size).toBe(LIMIT);
  await runtime.ask("DELETE", `/api/attachments/${fits.body.id}`);
  await leavesNothing(async () => {
    const { status, body } = await attach({ file: new File([new Uint8Array(LIMIT + 1)], "large.bin") });
    expect(status).toBe(422);
    expect(body.error.validation).toEqual({ file: ["The file may not be greater than 50000 kilobytes."] });
  });
});

test("a body beyond all limits is answered in the one shape of errors", async () => {
  const { attach, leavesNothing } = stage();
  await leavesNothing(async () => {
    const { status, body } = await attach({ file: new File([new Uint8Array(LIMIT * 1.6)], "huge.bin") });
    expect([status, body.error.code]).toEqual([413, 413]);
  });
});

test("what fails after the file was stored takes the file back", async () => {
  const { attach, leavesNothing } = stage();
  await leavesNothing(async () => {
    const { status } = await attach({ name: "Undone", file: new File(["x"], "x.txt") });
    expect(status).toBe(409);
  });
});

test("a client that stops halfway leaves no file and no row", async () => {
  const { runtime, leavesNothing } = stage();
  const answered = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const server = Bun.serve({
    port: 0,
    async fetch(request) {
      begun.resolve();
      const response = await runtime.runtime.http.handle(request, "127.0.0.1");
      answered.resolve();
      return response;
    },
  });
  await leavesNothing(async () => {
    const socket = connect(server.port ?? 0, "localhost");
    const part = '--x\r\nContent-Disposition: form-data; name="file"; filename="half.bin"\r\n\r\n';
    const head = `POST /api/attachments HTTP/1.1\r\nHost: localhost\r\nAuthorization: Token ${runtime.token}\r\n`;
    socket.write(`${head}Content-Type: multipart/form-data; boundary=x\r\nContent-Length: 9000000\r\n\r\n${part}`);
    socket.write(new Uint8Array(1_000_000));
    await begun.promise;
    socket.destroy();
    await answered.promise;
  });
  await server.stop(true);
});
