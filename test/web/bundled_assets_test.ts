/** Scripts that a plugin writes in TypeScript: bundled for browsers with what they import, by a URL that changes with it. */
import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type AnyPlugin, definePlugin } from "lectern/core";
import type {} from "lectern/plugins";
import { WITH_SCREENS } from "../support/harness/few_plugins.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

setDefaultTimeout(120_000);
const home = mkdtempSync(join(tmpdir(), "lectern-bundles-"));
const folder = join(home, "board");
mkdirSync(join(folder, "node_modules/chalk-board"), { recursive: true });
const put = (name: string, text: string) => writeFileSync(join(folder, name), text);
const packageOf = (version: string) =>
  put("node_modules/chalk-board/package.json", JSON.stringify({ name: "chalk-board", version, main: "main.js" }));
put("node_modules/chalk-board/main.js", "export const chalk = 'white chalk';");
put("node_modules/chalk-board/LICENSE", "Permission is granted to draw.");
packageOf("1.0.0");
put("parts.ts", "export interface Drawn { readonly by: string }\nexport const by = 'Ann';");
put(
  "board.ts",
  `import { chalk } from "chalk-board";
import { by, type Drawn } from "./parts.ts";
const drawn: Drawn = { by };
document.title = \`\${chalk} \${drawn.by}\`;`,
);
afterAll(() => rmSync(home, { recursive: true, force: true }));

/** Boots with a plugin in the folder; `url` is that of its script. */
async function booted(file = "board.ts"): Promise<TestRuntime & { readonly url: string }> {
  let url = "";
  const board = definePlugin({
    name: "board",
    requires: ["web"],
    setup({ contracts }) {
      url = contracts.web.asset("board.js", join(folder, file));
    },
  });
  const outer: AnyPlugin = definePlugin({ name: "outer", extend: () => [board], setup() {} });
  const extra = [{ ...outer, listFile: join(folder, "plugin.ts") }];
  return { ...(await bootTestRuntime({ only: WITH_SCREENS, extra })), url };
}

test("a script in TypeScript is served as one minified script, with the licences of its packages", async () => {
  const runtime = await booted();
  const answers = await Promise.all([1, 2].map(() => runtime.ask("GET", runtime.url, { as: null })));
  await runtime.stop();
  for (const { status, headers, body } of answers) {
    expect([status, headers.get("content-type")]).toEqual([200, "text/javascript; charset=utf-8"]);
    expect(body).toStartWith("/*!\nchalk-board 1.0.0\n\nPermission is granted to draw.\n*/\n");
    const title = new Function("document", `${body}; return document.title;`);
    expect(title({})).toBe("white chalk Ann");
  }
});

test("its URL changes with a source, and with the version of a package", async () => {
  const urls: string[] = [];
  const again = async () => {
    const { url, stop } = await booted();
    await stop();
    urls.push(url);
  };
  await again();
  await again();
  put("parts.ts", "export interface Drawn { readonly by: string }\nexport const by = 'Ben';");
  await again();
  packageOf("1.0.1");
  await again();
  expect(urls[0]).toMatch(/^\/web\/assets\/board\.js\?[0-9a-f]{16}$/);
  expect([urls[1] === urls[0], new Set(urls).size]).toEqual([true, 3]);
});

test("a script with sources outside of the plugin's folder, or a package that is not there, stops the boot", async () => {
  writeFileSync(join(home, "secret.ts"), "export default 1;");
  put("greedy.ts", `import secret from "../secret.ts";\nconsole.log(secret);`);
  await expect(booted("greedy.ts")).rejects.toThrow(`wanted one below "${folder}"`);
  put("lacking.ts", `import "chalk-unheard-of";`);
  await expect(booted("lacking.ts")).rejects.toThrow('Cannot bundle the package "chalk-unheard-of"');
});
