/** Places and views of screens: what plugins add there is drawn with the data of the place, and wrong names are refused. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type AnyPlugin, definePlugin, html } from "lectern/core";
import { declaredIn } from "../rules/_hooks.ts";
import { readSources } from "../rules/_source.ts";
import { bootTestRuntime, type TestRuntime, type TestRuntimeOptions } from "../support/harness/test_runtime.ts";

setDefaultTimeout(180_000);

declare module "lectern/core" {
  interface Places {
    "postcard/below": { readonly text: string };
  }
  interface Views {
    "postcard/show": { readonly text: string };
  }
}

/** A plugin with a screen that has a view and a place of its own. */
const postcard: AnyPlugin = definePlugin({
  name: "postcard",
  requires: ["web"],
  setup({ contracts: { web }, app }) {
    web.places("postcard/below");
    const view = web.view("postcard/show", ({ text }) => html`<h1>${text}</h1>`);
    web.screen(app.site, "/postcard", "public", async (visit) => {
      const data = { text: "<Greetings>" };
      return {
        title: data.text,
        body: html`${view(data, visit.ui)}${await web.addedParts("postcard/below", data, visit)}`,
      };
    });
  },
});

/** A plugin that adds to the screens of others. */
const stamps: AnyPlugin = definePlugin({
  name: "stamps",
  setup({ contribute }) {
    contribute("screen_part", { at: "postcard/below", order: 60, draw: ({ text }) => html`<i>second ${text}</i>` });
    contribute("screen_part", { at: "postcard/below", draw: async ({ text }) => html`<i>first ${text.length}</i>` });
    contribute("screen_part", { at: "page/below", draw: (page) => html`<i>${page.name} in ${page.book_id}</i>` });
    contribute("screen_part", {
      at: "postcard/show/before",
      order: 50,
      draw: ({ text }) => html`<b>${text}</b>`,
    });
  },
});

let runtime: TestRuntime;
beforeAll(async () => {
  runtime = await bootTestRuntime({ extra: [postcard, stamps] });
});
afterAll(() => runtime.stop());

test("parts of plugins get the data of their place, are escaped, and stand in their order", async () => {
  const { body } = await runtime.ask("GET", "/postcard", { as: null, headers: { accept: "text/html" } });
  expect(body).toContain(
    "<b>&lt;Greetings&gt;</b><h1>&lt;Greetings&gt;</h1><i>first 11</i><i>second &lt;Greetings&gt;</i>",
  );
});

/** Why the boot of these plugins stops; "" where it does not. */
function failure(...extra: readonly AnyPlugin[]): Promise<string> {
  return failureOf({ extra });
}

async function failureOf(options: TestRuntimeOptions): Promise<string> {
  try {
    const booted = await bootTestRuntime(options);
    await booted.stop();
    return "";
  } catch (error) {
    return (error as Error).message;
  }
}

test("a part at a place that does not exist stops the boot, and the closest place is named", async () => {
  const misspelt = definePlugin({
    name: "misspelt",
    setup({ contribute }) {
      // @ts-expect-error There is no such place.
      contribute("screen_part", { at: "page/belwo", draw: () => "" });
    },
  });
  expect(await failure(misspelt)).toContain('There is no place "page/belwo" on screens; did you mean "page/below"?');
});

test("a theme that renders at a view that does not exist boots: it may be written for another version", async () => {
  const folder = mkdtempSync(join(tmpdir(), "lectern-themes-"));
  mkdirSync(join(folder, "misspelt"));
  writeFileSync(
    join(folder, "misspelt/functions.ts"),
    `import { defineTheme, html } from ${JSON.stringify(join(import.meta.dir, "../../core/mod.ts"))};
    export default defineTheme(({ listen }) =>
      listen("theme_register_views", (views) => views.renderBefore("reading/pgae", () => html\`\`)));`,
  );
  const options = { env: { APP_THEME: "misspelt" }, choices: { settings: { themes: { folder } } } };
  const one = await bootTestRuntime(options);
  expect((await one.ask("GET", "/login", { as: null })).status).toBe(200);
  await one.stop();
  rmSync(folder, { recursive: true });
});

test("a place is declared once, and only declared places are drawn", async () => {
  expect(await failure(postcard, { ...postcard, name: "copy" })).toContain(
    'Cannot set up the plugin "copy": Cannot name a place "postcard/below": it exists already',
  );
  const undeclared = definePlugin({
    name: "undeclared",
    requires: ["web"],
    setup({ contracts: { web }, app }) {
      web.screen(app.site, "/undeclared", "public", async (visit) => ({
        title: "x",
        body: html`${await web.addedParts("postcard/below", { text: "" }, visit)}`,
      }));
    },
  });
  const booted = await bootTestRuntime({ extra: [undeclared] });
  expect((await booted.ask("GET", "/undeclared", { as: null, headers: { accept: "text/html" } })).status).toBe(500);
  await booted.stop();
});

test.each([
  ["page/toolbar", { text: "Lend", icon: "book" }, "path"],
  ["menu/main", { text: "Lent", icon: "book", path: "/lent" }, "permit"],
  ["menu/mian", { text: "Lent", icon: "book", path: "/lent", permit: "user" }, 'did you mean "menu/main"?'],
  ["statistics/figures", { label: "Lent" }, "read"],
  ["page/below", { text: "Lent" }, "draw"],
])("a part at %s that lacks what its place needs stops the boot", async (at, part, named) => {
  const lacking = definePlugin({
    name: "lacking",
    setup: ({ contribute }) => contribute("screen_part", { at, ...part } as never),
  });
  const error = await failure(lacking);
  expect(error).toContain('The plugin "lacking"');
  expect(error).toContain(named);
});

test("every declared place and view is there, so that what is added to it does not stop the boot", async () => {
  const names = (which: "Places" | "Views") => declaredIn(readSources(), which).map(({ name }) => name);
  const everywhere = definePlugin({
    name: "everywhere",
    setup({ contribute }) {
      for (const at of names("Places")) contribute("screen_part", { at, draw: () => "" } as never);
      for (const target of names("Views"))
        contribute("screen_part", { at: `${target}/after`, draw: () => html`` } as never);
    },
  });
  expect(names("Views").length).toBeGreaterThan(60);
  expect(await failure(everywhere)).toBe("");
});

test("names and data of places and views are types", () => {
  definePlugin({
    name: "typed",
    requires: ["web"],
    setup({ contracts: { web }, contribute }) {
      // @ts-expect-error The data of the place has no such field.
      contribute("screen_part", { at: "page/below", draw: (page) => page.nmae });
      contribute("screen_part", {
        at: "layout/footer/after",
        order: 50,
        // @ts-expect-error The data of the view has no such field.
        draw: ({ ap }) => html`${ap}`,
      });
      // @ts-expect-error There is no such view.
      web.view("postcard/shw", () => html``);
      // @ts-expect-error There is no such place.
      web.places("postcard/belwo");
      const wrongData = (visit: Parameters<typeof web.addedParts>[2]) =>
        // @ts-expect-error The data is not that of the place.
        web.addedParts("postcard/below", { txt: "" }, visit);
      return void wrongData;
    },
  });
});
