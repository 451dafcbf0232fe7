/** `migrate-from` between two running servers: an equal instance, once and again, through a kill in the middle. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { type Filled, fill, listed, send, snapshot } from "../support/data/sample_instance.ts";
import { CLI } from "../support/harness/command.ts";
import { scaled } from "../support/harness/machine_speed.ts";
import { freePort } from "../support/harness/ports.ts";
import { dataFolder, PROGRAM_ROOT, type Program, startProgram } from "../support/harness/program.ts";

setDefaultTimeout(scaled(120_000));

const folders = [dataFolder(), dataFolder()] as const;
const urls: string[] = [];
let source: Program;
let target: Program;
let filled: Filled;
let proxy: ReturnType<typeof Bun.serve>;
/** Requests that the source leaves without an answer. */
let isHeld: (path: string) => boolean = () => false;
let onHeld: () => void = () => {};

beforeAll(async () => {
  const start = async (folder: string, name: string) => {
    const port = await freePort();
    urls.push(`http://${name}.test:${port}`);
    // What the budget of work is by default; requests are as many as the test likes.
    const env = { PORT: String(port), APP_URL: urls.at(-1) ?? "" };
    return startProgram(folder, env, { constants: { cpuSecondsPerMinute: 45 } });
  };
  source = await start(folders[0].path, "wiki");
  target = await start(folders[1].path, "docs");
  filled = await fill(source, urls[0] ?? "");
  await fillTarget();
  // Requested under another address than its APP_URL, as many servers are.
  proxy = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      if (isHeld(pathname)) {
        onHeld();
        await new Promise(() => {});
      }
      const authorization = request.headers.get("authorization") ?? "";
      return fetch(`http://127.0.0.1:${source.port}${pathname}${search}`, {
        headers: { authorization },
        decompress: false,
      });
    },
  });
});
afterAll(async () => {
  await proxy?.stop(true);
  for (const program of [source, target]) program?.signal("SIGTERM");
  await Promise.all([source?.ended, target?.ended]);
  for (const folder of folders) folder.remove();
});

/** Present content: a book has the slug of one that is copied. */
async function fillTarget(): Promise<void> {
  const taken = await send(target, "POST", "/api/books", { name: "Taken!", description: "was here before" });
  await send(target, "POST", "/api/pages", { book_id: taken.id, name: "Own page", html: "<p>own</p>" });
}

/** Runs the command beside the running target, as an operator would. */
function start(...more: string[]) {
  return Bun.spawn(
    [
      process.execPath,
      CLI,
      "migrate-from",
      "--base-url",
      `http://127.0.0.1:${proxy.port}`,
      "--concurrency",
      "2",
      ...more,
    ],
    {
      cwd: PROGRAM_ROOT,
      env: {
        ...process.env,
        DATABASE_URL: "",
        DATA_DIR: folders[1].path,
        APP_URL: urls[1] ?? "",
        MIGRATE_TOKEN: "adminid:adminsecret",
      },
      stdout: "pipe",
      stderr: "pipe",
    },
  );
}

async function run(...more: string[]): Promise<{ code: number; text: string }> {
  const child = start(...more);
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  const text = out + err;
  expect(text).not.toContain("adminsecret");
  return { code: await child.exited, text };
}

/** The target; the one address that was taken there is written as it is at the source. */
async function copied(): Promise<Awaited<ReturnType<typeof snapshot>>> {
  const shown = await snapshot(target, urls[1] ?? "");
  return JSON.parse(JSON.stringify(shown).replaceAll(shown["book Taken"].slug, "taken"));
}

/** Tokens of users of the target, as an operator would make them. */
async function tokenOf(email: string): Promise<string> {
  const args = ["token", "create", "--user", email, "--name", "test"];
  const env = { ...process.env, DATABASE_URL: "", DATA_DIR: folders[1].path };
  const child = Bun.spawn([process.execPath, CLI, ...args], { cwd: PROGRAM_ROOT, env, stdout: "pipe", stderr: "pipe" });
  return (await new Response(child.stdout).text()).trim().split("\n").at(-1) ?? "";
}

/** Status of a read of the target on behalf of somebody. */
async function statusFor(token: string, path: string): Promise<number> {
  const headers = { authorization: `Token ${token}` };
  return (await fetch(`http://127.0.0.1:${target.port}${path}`, { headers })).status;
}

async function named(of: Program, segment: string, name: string) {
  const row = (await listed(of, segment)).find((one) => (one.name ?? one.display_name) === name);
  if (!row) throw new Error(`There is no "${name}" among ${segment}`);
  return row;
}

test("a run that is killed in the middle leaves whole items, and the next one goes on", async () => {
  let reads = 0;
  isHeld = (path) => /^\/api\/pages\/\d+$/.test(path) && ++reads > 1;
  const held = new Promise<void>((resolve) => {
    onHeld = resolve;
  });
  const child = start();
  await held;
  child.kill("SIGKILL");
  await child.exited;
  isHeld = () => false;
  expect((await listed(target, "chapters")).map(({ name }) => name)).toEqual(["Databases"]);
  const before = (await listed(target, "pages")).length;
  expect(before).toBeLessThan(3);
  const { code, text } = await run();
  expect([code, text]).toEqual([0, expect.stringContaining("Resuming the copy of")]);
  expect(text).toMatch(/books +0 created, 0 updated, 2 unchanged\n/);
  expect((await listed(target, "pages")).length).toBe(4);
});

/** Users that every server has. */
const SEEDED = [...["users Admin", "users Guest"], ...["roles Admin", "roles Editor", "roles Viewer", "roles Public"]];

test("the copy is equal to the source in all the API shows", async () => {
  const address = urls[0] ?? "";
  const there = await snapshot(source, address);
  const here = await copied();
  for (const key of Object.keys(there)) {
    const wanted = JSON.stringify(there[key])
      // What was not copied is missing.
      .replaceAll("ADDRESS/books/runbooks/page/gone", `${address}/books/runbooks/page/gone`);
    const timeless = SEEDED.includes(key) ? { created_at: expect.anything(), updated_at: expect.anything() } : {};
    expect({ [key]: here[key] }).toEqual({ [key]: { ...JSON.parse(wanted), ...timeless } });
  }
  expect(
    Object.keys(here)
      .filter((key) => !(key in there))
      .sort(),
  ).toEqual(["book Taken!", "image-gallery lost.png", "page Own page"]);
});

test("pictures and covers are the same to the byte, at the same addresses", async () => {
  const shown = JSON.stringify(await snapshot(source, "ADDRESS"));
  const paths = new Set([...shown.matchAll(/\/uploads\/images\/[^"\\ )]+/g)].map(([path]) => path));
  expect(paths.size).toBeGreaterThan(5);
  for (const path of paths) {
    const [there, here] = await Promise.all(
      [source, target].map(async ({ port }) => (await fetch(`http://127.0.0.1:${port}${path}`)).bytes()),
    );
    expect([path, here]).toEqual([path, there]);
  }
});

test("what is hidden at the source is hidden here, from those it is hidden from there", async () => {
  const secret = await named(target, "pages", "Secret");
  const first = await named(target, "pages", "Failover");
  const ada = await tokenOf("ada@example.com");
  expect([await statusFor(ada, `/api/pages/${secret.id}`), await statusFor(ada, `/api/pages/${first.id}`)]).toEqual([
    200, 200,
  ]);
  const bo = await tokenOf("bo@example.com");
  expect([await statusFor(bo, `/api/pages/${secret.id}`), await statusFor(bo, `/api/pages/${first.id}`)]).toEqual([
    404, 200,
  ]);
});

test("links lead to what the names say, the one whose address was taken too", async () => {
  const taken = await named(target, "books", "Taken");
  const first = await named(target, "pages", "Failover");
  const { body } = await target.ask("GET", `/api/pages/${first.id}`);
  expect(taken.slug).toMatch(/^taken-\w{3}$/);
  expect(body.raw_html).toContain(`${urls[1]}/books/${taken.slug}/page/before-the-others?x=1&amp;y=2#bkmrk-look`);
  // Recorded, so that they are rewritten with their target.
  await send(target, "PUT", `/api/books/${taken.id}`, { name: "Taken over" });
  const after = await target.ask("GET", `/api/pages/${first.id}`);
  expect(after.body.raw_html).toContain(`${urls[1]}/books/taken-over/page/before-the-others?x=1`);
  // Addresses of the source redirect here, too.
  const { headers } = await fetch(`http://127.0.0.1:${target.port}/books/taken/page/before-the-others`, {
    headers: { authorization: target.authorization, accept: "text/html" },
    redirect: "manual",
  });
  expect(headers.get("location")).toBe("/books/taken-over/page/before-the-others");
});

test("run again, it changes nothing but what was changed at the source and not here", async () => {
  const before = await snapshot(target, "ADDRESS");
  const again = await run();
  expect(again.code).toBe(0);
  expect(again.text).not.toMatch(/[1-9]\d* (?:created|updated)|Resuming/);
  expect(await snapshot(target, "ADDRESS")).toEqual(before);

  const there = await named(source, "pages", "Secret");
  await send(source, "PUT", `/api/pages/${there.id}`, { name: "Top secret", html: "<p>plugh</p>" });
  await send(source, "PUT", `/api/pages/${filled.failover}`, { name: "Failover at night" });
  await send(source, "PUT", `/api/chapters/${(await named(source, "chapters", "Databases")).id}`, { priority: 9 });
  await send(source, "POST", "/api/comments", { page_id: filled.failover, html: "<p>late</p>" });
  const own = await send(target, "POST", "/api/comments", {
    page_id: (await named(target, "pages", "Failover")).id,
    html: "<p>here alone</p>",
  });
  const { text } = await run();
  expect(text).toMatch(/pages +0 created, 2 updated, 0 unchanged, 1 changed here/);
  expect(text).toMatch(/chapters +0 created, 1 updated/);
  expect(text).toMatch(/comments +1 created, 0 updated, 6 unchanged/);
  const secret = await named(target, "pages", "Top secret");
  expect(secret.slug).toBe("top-secret");
  const bo = await tokenOf("bo@example.com");
  expect(await statusFor(bo, `/api/pages/${secret.id}`)).toBe(404);
  const failover = await named(target, "pages", "Failover");
  const { body } = await target.ask("GET", `/api/pages/${failover.id}`);
  const active = (body.comments as { active: { comment: { local_id: number } }[] }).active;
  // Ids that were given here stay; comments are in the order of their creation.
  expect(active.map(({ comment }) => comment.local_id)).toEqual([1, own.local_id + 1, own.local_id]);
  expect((await run("--overwrite")).text).toMatch(/pages +0 created, 1 updated, 2 unchanged/);
  expect((await named(target, "pages", "Failover at night")).id).toBe(failover.id);
});

test("neither server finds that the copies took too much processor time", () => {
  for (const program of [source, target]) expect(program.output()).not.toContain("past its budget");
});
