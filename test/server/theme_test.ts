/** Themes as an operator has them: switched on by a variable, applied last, and named with file and line when broken. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BootError } from "lectern/core";
import { openReceiver, type Receiver } from "../support/fakes/webhook_receiver.ts";
import { CLI } from "../support/harness/command.ts";
import { scaled } from "../support/harness/machine_speed.ts";
import { PROGRAM_ROOT } from "../support/harness/program.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

setDefaultTimeout(scaled(60_000));
const ROOT = join(import.meta.dir, "../..");
const CORE = JSON.stringify(join(ROOT, "core/mod.ts"));
const folder = mkdtempSync(join(tmpdir(), "lectern-themes-"));
let receiver: Receiver;
let runtime: TestRuntime;

function theme(name: string, code: string): void {
  mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(join(folder, name, "functions.ts"), code);
}

async function withTheme(name: string, from = folder): Promise<TestRuntime> {
  return bootTestRuntime({
    env: { ALLOW_PRIVATE_HOSTS: "127.0.0.1/32", APP_THEME: name },
    choices: { settings: { themes: { folder: from } } },
  });
}

beforeAll(async () => {
  receiver = openReceiver();
  runtime = await withTheme("example", join(ROOT, "themes"));
  await runtime.runtime.start();
});
afterAll(async () => {
  await runtime.stop();
  await receiver.stop();
  rmSync(folder, { recursive: true, force: true });
});

test("the example keeps secrets out of pages, says more to webhooks, words a message anew, and brings a command", async () => {
  const book = (await runtime.ask("POST", "/api/books", { body: { name: "Guarded" } })).body;
  const secret = { book_id: book.id, name: "Keys", html: "<p>AKIAABCDEFGHIJKLMNOP</p>" };
  const refused = await runtime.ask("POST", "/api/pages", { body: secret });
  expect([refused.status, refused.body.error.message]).toEqual([
    403,
    "This page seems to hold a secret key; take it out first",
  ]);
  const page = (await runtime.ask("POST", "/api/pages", { body: { ...secret, html: "<p>Fine</p>" } })).body;
  expect(
    (await runtime.ask("PUT", `/api/pages/${page.id}`, { body: { markdown: `ghp_${"a".repeat(36)}` } })).status,
  ).toBe(403);
  const endpoint = `${receiver.url}/in`;
  await runtime.ask("POST", "/api/webhooks", {
    body: { name: "Chat", endpoint, events: ["shelf_create", "book_create"] },
  });
  await runtime.ask("POST", "/api/books", { body: { name: "Told" } });
  await receiver.until(1);
  expect(receiver.received[0]?.json).toMatchObject({ event: "book_create", source: "Example handbook" });
  expect((await runtime.ask("GET", "/api/pages/987654")).body.error.message).toBe("Page has moved, or never was");
  await runtime.store.sql`update pages set updated_at = now() - interval '14 months'`;
  const lines: string[] = [];
  const io = { out: (line: string) => void lines.push(line), err: () => {} };
  const { plugin } = runtime.runtime.booted.at(-1) ?? {};
  await plugin?.commands.stale?.run([], io as never, runtime.contexts.get("theme:example"));
  expect(lines).toEqual([expect.stringMatching(/^\d{4}-\d\d-\d\d {2}Keys$/), "1 pages"]);
});

test("hooks of the original are called by their names, with the original's arguments", async () => {
  theme(
    "hooks",
    `import { defineTheme } from ${CORE};
    globalThis.heard = [];
    export default defineTheme(({ listen }) => {
      listen("activity_logged", (type, detail) => void heard.push([type, typeof detail === "string" ? detail : detail.item.kind]));
      listen("auth_login", (method, user) => void heard.push([method, user.slug]));
      listen("webhook_call_before", (event, hook, detail, who, time) =>
        event === "page_delete" ? { to: hook.name, secret: hook.secret, said: detail.name, by: who.id, time: time > 1e9 } : undefined);
      listen("webhook_call_before", (event, hook, detail) => ({ to: hook.name, said: detail }));
      listen("page_content_pre_store", (html) => html.replace(">teh", ">the"));
      listen("page_content_pre_store", (html) => html + "<p>Second</p>");
      listen("page_content_post_render", (html, page) => html + "<p>Page " + page.id + "</p>");
      listen("app_boot", () => void heard.push(["boot"]));
      listen("oidc_auth_pre_redirect", () => {});
    });`,
  );
  const own = await withTheme("hooks");
  await own.runtime.start();
  const { body: book } = await own.ask("POST", "/api/books", { body: { name: "Told" } });
  await own.ask("POST", "/api/session", {
    as: null,
    body: { email: "admin@example.com", password: "correct horse battery" },
  });
  const { body: page } = await own.ask("POST", "/api/pages", {
    body: { book_id: book.id, name: "P", markdown: "teh words" },
  });
  expect(page.raw_html).toBe('<p id="bkmrk-teh-words">the words</p>\n<p id="bkmrk-second">Second</p>');
  expect(page.html).toEndWith(`Second</p><p>Page ${page.id}</p>`);
  expect(page.markdown).toBe("teh words");
  receiver.received.length = 0;
  for (const [name, ...events] of [
    ["One", "page_delete"],
    ["Two", "page_delete", "api_token_create"],
  ])
    await own.ask("POST", "/api/webhooks", { body: { name, endpoint: receiver.url, events } });
  await own.ask("DELETE", `/api/pages/${page.id}`);
  const { body: token } = await own.ask("POST", "/api/users/1/tokens", { body: { name: "T" } });
  await receiver.until(3);
  const sent = receiver.received
    .map(({ json }) => json)
    .sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  // The first answer replaces the whole payload, as in the original.
  expect(sent).toEqual([
    { to: "One", said: "P", by: 1, time: true },
    { to: "Two", said: "P", by: 1, time: true },
    { to: "Two", said: `(${token.id}) T; User: (1) Admin` },
  ]);
  await own.runtime.bus.settle();
  const { heard } = globalThis as unknown as { heard: unknown[] };
  expect(heard).toContainEqual(["boot"]);
  expect(heard).toContainEqual(["book_create", "book"]);
  expect(heard).toContainEqual(["standard", "admin"]);
  await own.stop();
});

test("a broken theme stops the boot with file, line and cause", async () => {
  theme(
    "typo",
    `import { defineTheme } from ${CORE};\n\nexport default defineTheme((theme) => {\n  theme.listne("app_boot");\n});\n`,
  );
  theme("syntax", `export default {\n  setup( {\n};\n`);
  theme("throws", `const x = 1;\nthrow new Error("Not today");\n`);
  theme("shape", "export default 7;\n");
  theme(
    "helper",
    `import { defineTheme } from ${CORE};\nimport "./parts/help.ts";\nexport default defineTheme(() => {});\n`,
  );
  mkdirSync(join(folder, "helper/parts"));
  writeFileSync(join(folder, "helper/parts/help.ts"), "\n\nthrow new Error('No help');\n");
  theme(
    "helped",
    `import { defineTheme } from ${CORE};\nimport { help } from "./help.ts";\nexport default defineTheme(() => help());\n`,
  );
  writeFileSync(join(folder, "helped/help.ts"), "export function help() {\n  throw new Error('No help');\n}\n");
  theme(
    "open",
    `import { defineTheme } from ${CORE};\nexport default defineTheme(({ app }) => void app.get("/theme/open", () => 1));\n`,
  );
  theme(
    "boot",
    `import { defineTheme } from ${CORE};\nexport default defineTheme(({ listen }) => {\n  listen("app_boot", () => {\n    throw new Error("Not ready");\n  });\n});\n`,
  );
  theme(
    "misspelt",
    `import { defineTheme } from ${CORE};\nexport default defineTheme(({ listen }) => {\n  listen("page_crate", () => {});\n});\n`,
  );
  const failure = async (name: string) => {
    try {
      await (await withTheme(name)).stop();
      return "booted";
    } catch (error) {
      expect(error).toBeInstanceOf(BootError);
      return (error as Error).message;
    }
  };
  expect(await failure("typo")).toMatch(
    /^Failed loading theme functions file at ".*typo\/functions\.ts:4" with error: .*listne/,
  );
  expect(await failure("syntax")).toMatch(
    /^Failed loading theme functions file at ".*syntax\/functions\.ts:\d" with error: /,
  );
  expect(await failure("throws")).toMatch(
    /^Failed loading theme functions file at ".*throws\/functions\.ts:2" with error: Not today$/,
  );
  const place = "^Failed loading theme functions file at";
  expect(await failure("helper")).toMatch(new RegExp(`${place} ".*helper/parts/help\\.ts:3" with error: No help$`));
  expect(await failure("helped")).toMatch(new RegExp(`${place} ".*helped/help\\.ts:2" with error: No help$`));
  expect(await failure("boot")).toMatch(new RegExp(`${place} ".*boot/functions\\.ts:4" with error: Not ready$`));
  expect(await failure("misspelt")).toMatch(
    new RegExp(
      `${place} ".*misspelt/functions\\.ts:3" with error: There is no hook or event "page_crate"; did you mean "page_create"\\?$`,
    ),
  );
  expect(await failure("open")).toMatch(
    /^The plugin "theme:open" \(".*open\/functions\.ts"\) serves GET \/api\/theme\/open without saying/,
  );
  expect(await failure("shape")).toMatch(/^Cannot use the theme "shape": the default export of ".*" is no defineTheme/);
  expect(await failure("nobody")).toMatch(/^Cannot use the theme "nobody": there is no ".*nobody\/functions\.ts"$/);
  expect(await failure("../example")).toBe(
    'Cannot use the theme "../example": wanted the name of a folder below "themes"',
  );
});

test("APP_THEME switches a theme on for the program", async () => {
  const run = (env: Record<string, string>, ...args: string[]) => {
    const child = Bun.spawnSync([process.execPath, CLI, ...args], {
      cwd: PROGRAM_ROOT,
      env: { ...process.env, ...env },
    });
    return { code: child.exitCode, text: `${child.stdout}${child.stderr}` };
  };
  expect(run({ APP_THEME: "example" }, "help").text).toContain("stale [MONTHS]");
  expect(run({ APP_THEME: "false" }, "help")).toMatchObject({ code: 0 });
  expect(run({ APP_THEME: "" }, "help").text).not.toContain("stale");
  expect(run({ APP_THEME: "nobody" }, "help")).toMatchObject({
    code: 1,
    text: expect.stringContaining('theme "nobody"'),
  });
});
