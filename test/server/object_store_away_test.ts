/** A server whose object store is not there. */
import { expect, test } from "bun:test";
import { dataFolder, startProgram } from "../support/harness/program.ts";

const BUCKET = {
  FILES_S3_BUCKET: "files",
  FILES_S3_ENDPOINT: "http://127.0.0.1:1",
  FILES_S3_KEY: "key",
  FILES_S3_SECRET: "secret",
};

test("while the object store is away, an upload is answered 503 with Retry-After and leaves nothing, and pages can be read", async () => {
  const folder = dataFolder("ready");
  const server = await startProgram(
    folder.path,
    { ...BUCKET, LOG_LEVEL: "silent" },
    { constants: { filesS3Attempts: 1 } },
  );
  const book = (await server.ask("POST", "/api/books", { name: "Runbooks" })).body;
  const page = (await server.ask("POST", "/api/pages", { book_id: book.id, name: "Failover", html: "<p>x</p>" })).body;
  const form = new FormData();
  form.set("name", "Bolts");
  form.set("uploaded_to", String(page.id));
  form.set("file", new File(["bolts"], "bolts.csv"));
  const response = await fetch(`http://127.0.0.1:${server.port}/api/attachments`, {
    method: "POST",
    headers: { authorization: server.authorization },
    body: form,
  });
  expect([response.status, response.headers.get("retry-after"), await response.json()]).toEqual([
    503,
    "5",
    { error: { code: 503, message: "The files are not available at the moment. Please try again later." } },
  ]);
  expect((await server.ask("GET", "/api/attachments")).body.total).toBe(0);
  expect((await server.ask("GET", `/api/pages/${page.id}`)).status).toBe(200);
  server.signal("SIGTERM");
  await server.ended;
  folder.remove();
}, 60_000);
