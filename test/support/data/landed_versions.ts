/**
 * Makes the data of a landed version for `test/core/landed_versions_test.ts`: `bun test/support/data/landed_versions.ts COMMIT` checks that commit
 * out beside Lectern, starts it over a throw-away PostgreSQL server, fills it by its own API, and writes what it kept and
 * what it answered below `test/fixtures/landed`. Whatever a version did not serve yet is left out. Everybody and every
 * secret in it is made up for this.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startCluster, systemBinaries } from "../harness/cluster.ts";
import { png } from "./sample_pictures.ts";

/** The administrator's token in every fixture. */
export const LANDED_TOKEN = "landedadmin:landedsecretofafixture";
/** Where the fixtures lie. */
export const LANDED: string = join(import.meta.dir, "../../fixtures/landed");

/** What a version answered, by path. */
export type Answers = Readonly<Record<string, unknown>>;

/** The password of everybody in a fixture. */
export const LANDED_PASSWORD = "a fixture's own password";
/** What is read back of each version, once everything is made. */
const READ = [
  ...["books", "chapters", "pages", "shelves", "attachments", "image-gallery", "comments", "users", "roles"],
  ...["recycle-bin", "webhooks", "tags/names", "search?query=failover", "search?query=nowhere", "users/me"],
  ...["books/1", "chapters/1", "pages/1", "pages/2", "shelves/1", "attachments/1", "attachments/2", "comments/1"],
  ...["users/3", "roles/5", "image-gallery/1", "webhooks/1", "pages/1/revisions", "users/3/tokens"],
  ...["content-permissions/book/1", "content-permissions/page/2", "v1/dashboard/hosts", "v1/dashboard/keys"],
].map((path) => `/api/${path}`);

type Ask = (method: string, path: string, body?: unknown) => Promise<{ status: number; body: Record<string, unknown> }>;

/** Makes representative content; what the version knows nothing of answers 404 and is missing then. */
async function fill(ask: Ask): Promise<void> {
  const make = async (path: string, body: unknown) => (await ask("POST", `/api/${path}`, body)).body;
  const tags = [
    { name: "Team", value: "Night shift" },
    { name: "Urgent", value: "" },
  ];
  await make("roles", { display_name: "Writers", permissions: ["access-api", "page-view-all", "page-create-own"] });
  await make("users", { name: "Wanda Writer", email: "wanda@example.com", roles: [5], password: LANDED_PASSWORD });
  await make("users", { name: "Ivo Invited", email: "ivo@example.com", send_invite: true });
  await make("users/3/tokens", { name: "Script", expires_at: "2099-12-31" });
  for (const name of ["Runbooks", "Doomed book"]) await make("books", { name, description: `About ${name}`, tags });
  await make("chapters", {
    book_id: 1,
    name: "Databases",
    description_html: "<p>All <strong>stores</strong></p>",
    tags,
  });
  const html = `<h2>Failover</h2><p>Call the DBA, <a href="/books/runbooks">see here</a>.</p><ul><li>1</li></ul>`;
  await make("pages", { chapter_id: 1, name: "Failover", html, tags });
  await make("pages", { book_id: 1, name: "On call", markdown: "# On call\n\n- [x] Phone\n\n{{@1}}\n\n`ümläut` 日本" });
  await ask("PUT", "/api/pages/1", { html: `${html}<p>At any hour.</p>` });
  await make("pages", { book_id: 1, name: "Doomed page", html: "<p>nowhere</p>" });
  await make("shelves", { name: "Operations", books: [1, 2], tags });
  await make("comments", { page_id: 1, html: "<p>Is this <em>current</em>?</p>" });
  await make("comments", { page_id: 1, html: "<p>It is.</p>", reply_to: 1 });
  await make("attachments", { name: "Manual", uploaded_to: 1, link: "https://example.com/manual" });
  const file = new FormData();
  for (const [name, value] of Object.entries({ name: "Notes", uploaded_to: "1" })) file.set(name, value);
  file.set("file", new File(["Kept through every version"], "notes.txt"));
  await make("attachments", file);
  const picture = new FormData();
  for (const [name, value] of Object.entries({ type: "gallery", uploaded_to: "1", name: "Plan" }))
    picture.set(name, value);
  picture.set("image", new File([png()], "plan.png", { type: "image/png" }));
  await make("image-gallery", picture);
  await ask("PUT", "/api/content-permissions/book/1", {
    role_permissions: [{ role_id: 5, view: true, create: false, update: true, delete: false }],
    fallback_permissions: { inheriting: true },
  });
  await ask("PUT", "/api/content-permissions/page/2", {
    role_permissions: [{ role_id: 5, view: false, create: false, update: false, delete: false }],
    fallback_permissions: { inheriting: false, view: false, create: false, update: false, delete: false },
  });
  await make("webhooks", { name: "Chat", endpoint: "https://chat.example.com/hook", events: ["page_create"] });
  await make("v1/dashboard/keys", { token_name: "Board" });
  await make("v1/dashboard/hosts", { friendly_name: "db-1" });
  await ask("DELETE", "/api/pages/3");
  await ask("DELETE", "/api/books/2");
}

function run(command: readonly string[], cwd: string, env: Record<string, string | undefined> = process.env): string {
  const [program = "", ...args] = command;
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, env, encoding: "utf8", maxBuffer: 2 ** 26 });
  if (status !== 0) throw new Error(`"${command.join(" ")}" failed: ${stderr}`);
  return stdout;
}

/** What a store holds, as statements that any PostgreSQL of ours runs. */
function dumpOf(url: string): string {
  const pgDump = join(systemBinaries() ?? "", "pg_dump");
  const flags = ["--inserts", "--rows-per-insert=20", "--no-owner", "--no-privileges", "--no-comments"];
  const text = run([pgDump, ...flags, `--dbname=${url}`], "/");
  // Settings of the session that reads it, what psql alone understands, and remarks are no data.
  return text
    .replace(/^(?:\\(?:un)?restrict .*|SET [a-z_]+ = .*;|SELECT pg_catalog\.set_config\(.*)\n/gm, "")
    .replace(/^--\n-- .*\n--\n\n?/gm, "");
}

function filesBelow(folder: string): Record<string, string> {
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(
    paths.map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return [path.slice(folder.length + 1), readFileSync(path).toString("base64")];
    }),
  );
}

/** Writes the fixture of a commit. */
export async function makeLanded(commit: string): Promise<void> {
  const runtime = join(import.meta.dir, "../../..");
  const folder = mkdtempSync(join(tmpdir(), "lectern-landed-"));
  const checkout = join(folder, "house");
  const server = await startCluster();
  if (!server) throw new Error("Cannot make a fixture: no PostgreSQL is installed here");
  run(["git", "worktree", "add", "--detach", checkout, commit], runtime);
  try {
    run([process.execPath, "install", "--frozen-lockfile"], checkout);
    const port = 20_000 + (process.pid % 20_000);
    const env = {
      ...process.env,
      PORT: String(port),
      APP_URL: "http://localhost",
      DATA_DIR: join(folder, "data"),
      DATABASE_URL: server.url,
      ADMIN_PASSWORD: LANDED_PASSWORD,
      ADMIN_TOKEN: LANDED_TOKEN,
      API_REQUESTS_PER_MIN: "100000",
    };
    const child = Bun.spawn([process.execPath, "core/cli.ts", "serve", "plugins/mod.ts"], { cwd: checkout, env });
    const ask: Ask = async (method, path, body) => {
      const headers: Record<string, string> = { authorization: `Token ${LANDED_TOKEN}` };
      if (body !== undefined && !(body instanceof FormData)) headers["content-type"] = "application/json";
      const sent = body === undefined ? {} : { body: body instanceof FormData ? body : JSON.stringify(body) };
      const response = await fetch(`http://127.0.0.1:${port}${path}`, { method, headers, ...sent });
      const text = await response.text();
      if (method !== "GET" && !response.ok)
        process.stderr.write(`${method} ${path}: ${response.status} ${text.slice(0, 200)}\n`);
      return { status: response.status, body: text.startsWith("{") ? JSON.parse(text) : { text } };
    };
    while (
      !(await ask("GET", "/api/books").then(
        ({ status }) => status === 200,
        () => false,
      ))
    )
      await Bun.sleep(100);
    await fill(ask);
    const answers: Record<string, unknown> = {};
    for (const path of READ) {
      const { status, body } = await ask("GET", path);
      if (status === 200) answers[path] = body;
    }
    child.kill("SIGTERM");
    await child.exited;
    mkdirSync(LANDED, { recursive: true });
    const short = run(["git", "rev-parse", "--short=7", commit], runtime).trim();
    writeFileSync(join(LANDED, `${short}.sql`), dumpOf(server.url));
    const kept = { answers, files: filesBelow(join(folder, "data/files")) };
    writeFileSync(join(LANDED, `${short}.json`), `${JSON.stringify(kept, undefined, 1)}\n`);
  } finally {
    run(["git", "worktree", "remove", "--force", checkout], runtime);
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

if (import.meta.main) for (const commit of process.argv.slice(2)) await makeLanded(commit);
