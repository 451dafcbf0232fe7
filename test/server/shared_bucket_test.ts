/**
 * Two servers over one database and one bucket, each with a data folder of its own: what one of them took, the other one serves,
 * itself or by redirecting to a signed address.
 */
import { afterAll, expect, test } from "bun:test";
import { fakeS3 } from "../support/fakes/s3.ts";
import { createDatabase, startCluster } from "../support/harness/cluster.ts";
import { dataFolder, type Program, startProgram } from "../support/harness/program.ts";

const TIMEOUT_MS = 300_000;
const PUBLIC = "https://objects.example.com";
/** A picture of one pixel. */
const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

const s3 = fakeS3();
const cluster = await startCluster({ fast: true });
const folders = [dataFolder(), dataFolder()];
const servers: Program[] = [];

afterAll(async () => {
  for (const server of servers) server.signal("SIGTERM");
  await Promise.all(servers.map(({ ended }) => ended));
  for (const { remove } of folders) remove();
  await cluster?.stop();
  await s3.stop();
}, TIMEOUT_MS);

/** Sends a form to a server. */
async function post(server: Program, path: string, fields: Record<string, string | File>) {
  const body = new FormData();
  for (const [name, value] of Object.entries(fields)) body.set(name, value);
  const headers = { authorization: server.authorization };
  const answer = await fetch(`http://127.0.0.1:${server.port}${path}`, { method: "POST", headers, body });
  return (await answer.json()) as { id: number; path: string };
}

function get(server: Program, path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { authorization: server.authorization, ...(init.headers as Record<string, string>) };
  return fetch(`http://127.0.0.1:${server.port}${path}`, { redirect: "manual", ...init, headers });
}

test(
  "attachments and pictures are served by another server than the one that took them, also by redirects",
  async () => {
    if (!cluster) {
      process.stdout.write("\n== skipped: PostgreSQL is not installed here (Debian's postgresql)\n");
      return;
    }
    const env = {
      DATABASE_URL: await createDatabase(cluster.url),
      FILES_S3_BUCKET: "files",
      FILES_S3_ENDPOINT: s3.endpoint,
      FILES_S3_KEY: "key",
      FILES_S3_SECRET: "secret",
      IMAGE_ACCESS: "users",
    };
    const signed = { FILES_S3_SIGNED_DOWNLOADS_SECONDS: "300", FILES_S3_PUBLIC_ENDPOINT: PUBLIC, LOG_LEVEL: "debug" };
    const first = await startProgram(folders[0]?.path ?? "", env);
    const second = await startProgram(folders[1]?.path ?? "", { ...env, ...signed });
    servers.push(first, second);

    const book = (await first.ask("POST", "/api/books", { name: "Runbooks" })).body.id;
    const page = String(
      (await first.ask("POST", "/api/pages", { book_id: book, name: "Call", html: "<p>1</p>" })).body.id,
    );
    const file = new File(["<script>0123"], "plan ü.html");
    const { id } = await post(first, "/api/attachments", { name: "Plan ü", uploaded_to: page, file });
    const image = new File([PNG], "dot.png", { type: "image/png" });
    const { path } = await post(second, "/api/image-gallery", {
      type: "gallery",
      uploaded_to: page,
      name: "Dot",
      image,
    });

    // The second server answers the content of the first one in JSON as before, and its picture is with the first one.
    const { body } = await second.ask("GET", `/api/attachments/${id}`);
    expect(atob(String(body.content))).toBe("<script>0123");
    expect(new Uint8Array(await (await get(first, path)).arrayBuffer())).toEqual(new Uint8Array(PNG));
    expect(await (await get(first, `/attachments/${id}`)).text()).toBe("<script>0123");

    const answer = await get(second, `/attachments/${id}?open=true`);
    const location = new URL(answer.headers.get("location") ?? "");
    expect([answer.status, location.origin]).toEqual([302, PUBLIC]);
    expect(answer.headers.get("cache-control")).toBe("private, no-store");
    expect(location.searchParams.get("response-content-type")).toBe("application/octet-stream");
    expect(location.searchParams.get("response-content-disposition")).toStartWith("attachment; ");
    expect(Number(location.searchParams.get("X-Amz-Expires"))).toBe(300);
    const picture = await get(second, path);
    expect(new URL(picture.headers.get("location") ?? "").searchParams.get("response-content-type")).toBe("image/png");

    // HEAD and revalidation need no content, and those without permission learn no address.
    const head = await get(second, `/attachments/${id}`, { method: "HEAD" });
    expect([head.status, head.headers.get("content-length")]).toEqual([200, "12"]);
    const unchanged = { "if-none-match": head.headers.get("etag") ?? "" };
    expect((await get(second, `/attachments/${id}`, { headers: unchanged })).status).toBe(304);
    for (const closed of [path, `/attachments/${id}`]) {
      const stranger = await get(second, closed, { headers: { authorization: "" } });
      expect(stranger.headers.get("location") ?? "").not.toContain("X-Amz");
    }
    expect(second.output()).not.toContain("X-Amz");

    expect((await second.ask("DELETE", `/api/attachments/${id}`)).status).toBe(204);
    expect((await get(first, `/attachments/${id}`)).status).toBe(404);
    expect([...s3.objects.keys()].some((key) => key.startsWith("attachments/"))).toBe(false);
  },
  TIMEOUT_MS,
);
