/** Modules of themes, hooks of plugins, and themes below a path of APP_URL. */
import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type AnyPlugin, BootError, definePlugin } from "lectern/core";
import plugins from "../../plugins/mod.ts";
import { scaled } from "../support/harness/machine_speed.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

setDefaultTimeout(scaled(60_000));
const CORE = JSON.stringify(join(import.meta.dir, "../../core/mod.ts"));
const folder = mkdtempSync(join(tmpdir(), "lectern-themes-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Writes a theme: files by their paths within its folder. */
function writeTheme(name: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(folder, name, dirname(path)), { recursive: true });
    writeFileSync(join(folder, name, path), text);
  }
}

function manifest(name: string, fields: object = {}): string {
  return JSON.stringify({ name, description: `What ${name} does`, version: "v1.2.3", ...fields });
}

function withTheme(name: string, env: Record<string, string> = {}, extra: readonly AnyPlugin[] = []) {
  return bootTestRuntime({
    env: { APP_THEME: name, ...env },
    choices: { settings: { themes: { folder } } },
    extra,
  });
}

async function screen(runtime: TestRuntime, path: string): Promise<string> {
  return (await runtime.ask("GET", path, { as: null, headers: { accept: "text/html" } })).body;
}

const footer = (text: string) => `export default ({ html, next }) => (data) => html\`${text}(\${next(data)})\`;`;
const icon = (path: string) => `<svg viewBox="0 0 1 1"><path d="${path}"/></svg>`;
const appends = (letter: string) =>
  `import { defineTheme } from ${CORE};
  export default defineTheme({
    commands: { "say-${letter}": { summary: "says ${letter}", usage: "", store: false, run: async () => 0 } },
    setup: ({ listen, theme }) => listen("page_content_pre_store", (html) => html.replace("</p>", " ${letter} of " + theme + "</p>")),
  });`;

test("modules load by name before their theme, whose files take precedence, then those of the last module", async () => {
  writeTheme("whole", {
    "functions.ts": appends("t"),
    "views/layout/footer.ts": footer("theme"),
    "lang/en.json": JSON.stringify({ "Sign in": "From the theme" }),
    "public/theme.css": "/* theme */",
    "head/a.html": "<meta name=part content=theme>",
    "modules/alpha/module.json": manifest("Alpha"),
    "modules/alpha/functions.ts": appends("a"),
    "modules/alpha/views/layout/footer.ts": footer("alpha"),
    "modules/alpha/lang/en.json": JSON.stringify({ "Sign in": "From alpha", Password: "Alpha keeps" }),
    "modules/alpha/public/own.css": "/* alpha */",
    "modules/alpha/public/theme.css": "/* alpha */",
    "modules/alpha/icons/book.svg": icon("M1 1"),
    "modules/alpha/head/a.html": "<script>alpha()</script>",
    "modules/beta/bookstack-module.json": manifest("Beta", { version: "1.0.0-rc1" }),
    "modules/beta/functions.ts": appends("b"),
    "modules/beta/lang/en.json": JSON.stringify({ Password: "Beta keeps" }),
    "modules/beta/public/own.css": "/* beta */",
    "modules/beta/icons/book.svg": icon("M2 2"),
    "modules/beta/head/b.html": "<LINK rel=stylesheet href=/own.css nonce=mine>",
    "modules/unfinished/functions.ts": "throw new Error('A folder without a manifest is no module');",
  });
  const runtime = await withTheme("whole");
  const booted = runtime.runtime.booted.map(({ plugin }) => plugin);
  expect(booted.slice(-3).map(({ name }) => name)).toEqual(["theme:whole:alpha", "theme:whole:beta", "theme:whole"]);
  expect(booted.slice(-3).flatMap(({ commands }) => Object.keys(commands))).toEqual(["say-a", "say-b", "say-t"]);
  expect(runtime.contexts.get("web")?.slot("theme")).toEqual([
    {
      name: "whole",
      modules: [
        { folder: "alpha", name: "Alpha", description: "What Alpha does", version: "v1.2.3" },
        { folder: "beta", name: "Beta", description: "What Beta does", version: "1.0.0-rc1" },
      ],
    },
  ]);
  expect((await runtime.ask("GET", "/api/system/facts")).body.theme).toBe("whole");

  const { body: book } = await runtime.ask("POST", "/api/books", { body: { name: "B" } });
  const page = { book_id: book.id, name: "P", html: "<p>By</p>" };
  expect((await runtime.ask("POST", "/api/pages", { body: page })).body.raw_html).toContain(
    "By a of whole b of whole t of whole",
  );

  const document = await screen(runtime, "/login");
  expect(document).toMatch(/theme\(alpha\(<footer[\s\S]*<\/footer>\)\)/);
  expect(document).toContain("From the theme");
  expect(document).toContain("Beta keeps");
  expect(document).toContain('d="M2 2"');
  expect(document).not.toContain('d="M1 1"');
  const nonce = /<script nonce="(\w{32})">alpha\(\)<\/script>/.exec(document)?.[1];
  expect(document).toContain(
    `<script nonce="${nonce}">alpha()</script>\n<LINK nonce="${nonce}" rel=stylesheet href=/own.css nonce=mine>\n<meta name=part content=theme>\n</head>`,
  );
  const answer = await runtime.ask("GET", "/login", { as: null, headers: { accept: "text/html" } });
  expect(answer.body).not.toContain(`"${nonce}"`);
  expect(answer.headers.get("content-security-policy")).toMatch(
    /script-src 'self' 'nonce-\w{32}'; style-src 'self' 'nonce-/,
  );
  const file = async (path: string) => (await runtime.ask("GET", `/theme/whole/${path}`, { as: null })).body;
  expect([await file("theme.css"), await file("own.css")]).toEqual(["/* theme */", "/* beta */"]);
  await runtime.stop();
});

test("an invalid module stops the boot with its name and file", async () => {
  const failure = async (name: string, files: Readonly<Record<string, string>>) => {
    writeTheme(name, files);
    try {
      await (await withTheme(name)).stop();
      return "booted";
    } catch (error) {
      expect(error).toBeInstanceOf(BootError);
      return (error as Error).message.replaceAll(/"[^"]*\/(?=[^/"]*\/modules)/g, '"…/');
    }
  };
  const start = (theme: string) => `Cannot use the module "m" of the theme "${theme}": `;
  const end = (theme: string) => ` in "…/${theme}/modules/m/module.json"`;
  for (const [theme, text, what] of [
    ["broken", "{", /found invalid JSON \(.*\)/],
    ["list", "[]", 'wanted a text "name"'],
    ["nothing", "null", 'wanted a text "name"'],
    ["mute", manifest("M", { description: " " }), 'wanted a text "description"'],
    ["young", manifest("M", { version: 1 }), 'wanted a text "version"'],
    ["short", manifest("M", { version: "1.2" }), 'wanted a "version" such as "v1.2.3", found "1.2"'],
  ] as const) {
    const message = await failure(theme, { "modules/m/module.json": text });
    expect(message).toStartWith(start(theme));
    expect(message).toEndWith(end(theme));
    expect(message.slice(start(theme).length, -end(theme).length)).toMatch(what);
  }
  const odd = await failure("odd", { "modules/m.old/module.json": manifest("M") });
  expect(odd).toStartWith('Cannot use the module "m.old" of the theme "odd": wanted a folder name of');
  const thrown = await failure("thrown", {
    "modules/m/module.json": manifest("M"),
    "modules/m/functions.ts": '\nthrow new Error("Not today");\n',
  });
  expect(thrown).toBe(
    'Failed loading theme functions file at "…/thrown/modules/m/functions.ts:2" with error: Not today',
  );
  const icons = await failure("icons", {
    "modules/m/module.json": manifest("M"),
    "modules/m/icons/book.svg": "<svg><script>bad()</script></svg>",
  });
  expect(icons).toBe('Cannot use the icon "…/icons/modules/m/icons/book.svg": expected one plain <svg> element');
});

test("a plugin brings a hook of its own, which themes listen to as to those of Lectern", async () => {
  const podium = definePlugin({
    name: "podium",
    setup({ app, contribute }) {
      const handlers: ((name: string) => string | undefined)[] = [];
      contribute("theme_hook", { name: "podium_raised", attach: (handler) => void handlers.push(handler) });
      app.get("/podium", () => handlers.map((handler) => handler("Ada")), { permit: "public" });
    },
  });
  writeTheme("podium", {
    "functions.ts": `import { defineTheme } from ${CORE};
      export default defineTheme(({ listen }) => listen("podium_raised", (name) => name + " speaks"));`,
  });
  const runtime = await withTheme("podium", {}, [podium]);
  expect((await runtime.ask("GET", "/api/podium", { as: null })).body).toEqual(["Ada speaks"]);
  await runtime.stop();
  await expect(withTheme("podium")).rejects.toThrow('There is no hook or event "podium_raised"');
});

test("a theme boots without the screens it has hooks for, and Lectern without the plugin of themes", async () => {
  writeTheme("screens", {
    "functions.ts": `import { defineTheme } from ${CORE};
      export default defineTheme(({ app, listen }) => {
        listen("routes_register_web", (router) => router.get("/hello", () => new Response("Hello")));
        listen("webhook_call_before", () => undefined);
        app.get("/from-theme", () => "Here", { permit: "public" });
      });`,
    "views/layout/footer.ts": footer("theme"),
  });
  const boots = (without: readonly string[]) =>
    bootTestRuntime({ env: { APP_THEME: "screens" }, choices: { settings: { themes: { folder } } }, without });
  const screens = plugins.flatMap(({ name }) => (name.startsWith("web") ? [name] : []));
  const bare = await boots(screens);
  expect((await bare.ask("GET", "/api/from-theme", { as: null })).body).toBe("Here");
  expect((await bare.ask("GET", "/hello", { as: null })).status).toBe(404);
  await bare.stop();
  const plain = await bootTestRuntime({ env: { APP_THEME: "screens" }, without: ["themes"] });
  expect((await plain.ask("GET", "/api/from-theme", { as: null })).status).toBe(404);
  expect((await plain.ask("GET", "/api/system/facts")).body.theme).toBe("");
  await plain.stop();
});

test("a theme works where the address of Lectern has a path", async () => {
  writeTheme("below", {
    "functions.ts": `import { defineTheme, html } from ${CORE};
      export default defineTheme(({ listen }) => listen("routes_register_web", (router) =>
        router.get("/hello", ({ ui }) => ({ title: "Hello", body: html\`<a id="in" href="\${ui.url("/login")}">In</a>\` }))));`,
    "public/theme.css": "main { color: teal }",
    "public/theme.js": "let one = 1;",
  });
  const runtime = await withTheme("below", { APP_URL: "http://localhost/docs" });
  const document = await screen(runtime, "/docs/hello");
  expect(document).toContain('<a id="in" href="/docs/login">');
  const [, style = ""] = /<link rel="stylesheet" href="(\/docs\/theme\/below\/theme\.css\?\w+)">/.exec(document) ?? [];
  const [, script = ""] = /<script src="(\/docs\/theme\/below\/theme\.js\?\w+)" defer>/.exec(document) ?? [];
  expect((await runtime.ask("GET", style, { as: null })).body).toBe("main { color: teal }");
  expect((await runtime.ask("GET", script, { as: null })).headers.get("cache-control")).toBe("max-age=86400, private");
  expect((await runtime.ask("GET", "/docs/theme/other/theme.css", { as: null })).status).toBe(404);
  await runtime.stop();
});

declare module "lectern/core" {
  interface ThemeHooks {
    /** Somebody steps on the podium; the first answer is shown. */
    podium_raised: (name: string) => string | undefined;
  }
}
