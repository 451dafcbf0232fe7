/**
 * What plugins that do not ship register, as an operator sees it before anything is changed: `grants` sets them up without store and
 * network, accepted grants hold what they registered, and an upgrade that registers more stops before its migrations; one that hides it
 * at the trial stops at its setup.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CLI, PROGRAM_NAME } from "../support/harness/command.ts";
import { scaled } from "../support/harness/machine_speed.ts";
import { dataFolder } from "../support/harness/program.ts";

setDefaultTimeout(scaled(120_000));
const home = realpathSync(mkdtempSync(join(tmpdir(), "lectern-trial-")));
const data = dataFolder("ready");
const TRACE = join(home, "trace");
afterAll(() => {
  data.remove();
  rmSync(home, { recursive: true, force: true });
});
beforeAll(() => choose());

function choose(more: object = {}): void {
  const lectern = { plugins: ["lectern/plugins", "./acme.ts"], ...more };
  writeFileSync(join(home, "package.json"), JSON.stringify({ private: true, lectern }));
}

/** The accepted grants in package.json. */
function accepted(): Record<string, unknown> {
  return JSON.parse(readFileSync(join(home, "package.json"), "utf8")).lectern.grants.plugins.acme;
}

/** Writes the plugin: the body of its `setup`, and further members. */
function write(setup: string, more = ""): void {
  writeFileSync(
    join(home, "acme.ts"),
    `import { writeFileSync } from "node:fs";
import { definePlugin, t } from "lectern/core";
const mode = t.String({ default: "", env: "ACME_MODE" });
export default definePlugin({ name: "acme", requires: ["web"], settings: t.Object({ mode }), ${more}
async setup({ app, contracts, contribute, db, jobs, on, settings, slot }) { ${setup} } });`,
  );
}

async function cli(args: readonly string[], env: Record<string, string> = {}) {
  const child = Bun.spawn([process.execPath, CLI, ...args], {
    cwd: home,
    env: { ...process.env, DATABASE_URL: "", DATA_DIR: data.path, LOG_LEVEL: "warn", ...env },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  return { code: await child.exited, out, err };
}

const HONEST = `on("book_create", { notify: () => {} });
  contracts.web.screen(app.site, "/acme", "user", () => new Response());
  if (settings.mode === "open") app.get("/acme", () => "", { permit: "public" });`;
const MORE = `${HONEST} on("page_create", { filter: (draft) => draft }); contribute("dependents", { async destroy() {} });`;
const STEP = `migrations: { async "0001_init"() { writeFileSync(${JSON.stringify(TRACE)}, "migrated"); } },`;
const BEYOND = `The plugin "acme" wants more than "grants" of package.json accepts:
  + filters: page_create
  + slots: dependents
To accept it: ${PROGRAM_NAME} grants accept acme
`;

test("grants shows what a plugin registers, and what of it depends on the settings", async () => {
  write(HONEST);
  expect((await cli(["grants", "acme"])).out).toBe(
    "acme\n  reads the variables: ACME_MODE\n  sees and follows the events: book_create\n  serves the screens: /acme (user)\n  not accepted in package.json\n",
  );
  expect((await cli(["grants", "acme"], { ACME_MODE: "open" })).out).toContain(
    "  answers everybody at the paths: /api/acme\n  serves the screens: /acme (user)\n  by the settings that are given:\n    + publicRoutes: /api/acme\n",
  );
  const shown = JSON.parse((await cli(["grants", "--json"])).out);
  expect(shown.acme.grants).toEqual({ env: ["ACME_MODE"], handlers: ["book_create"], screens: { "/acme": "user" } });
  expect(shown.pages.grants).toMatchObject({ visibilityRules: ["page_revisions", "pages"] });
});

test("a trial writes no file and reaches no server", async () => {
  const server = Bun.serve({ port: 0, fetch: () => new Response("reached") });
  write(`try { writeFileSync(${JSON.stringify(TRACE)}, ""); } catch { on("book_update", { notify() {} }); }
    await fetch("${server.url}").then(() => on("book_delete", { notify() {} }), () => {});
    if ((await db.selectFrom("books").selectAll().execute().catch(() => [])).length > 0) on("book_create", { notify() {} });`);
  expect((await cli(["grants", "acme"])).out).toContain("  sees and follows the events: book_update\n");
  expect(existsSync(TRACE)).toBe(false);
  await server.stop(true);
});

test("an upgrade that registers more than was accepted stops before its migrations, with the difference", async () => {
  write(HONEST);
  expect((await cli(["grants", "accept", "acme"])).code).toBe(0);
  expect(accepted()).toMatchObject({ handlers: ["book_create"], screens: { "/acme": "user" }, slotsRead: "any" });
  expect((await cli(["migrate"])).code).toBe(0);
  write(MORE, STEP);
  // The step itself is accepted, so that nothing but the trial stops it.
  const pins = JSON.parse(readFileSync(join(home, "package.json"), "utf8")).lectern.grants;
  expect((await cli(["grants", "accept", "acme"])).code).toBe(0);
  pins.plugins.acme.migrations = accepted().migrations;
  choose({ grants: pins });
  for (const command of ["migrate", "serve"])
    expect(await cli([command])).toMatchObject({ code: 1, err: expect.stringContaining(BEYOND) });
  expect(existsSync(TRACE)).toBe(false);
  expect((await cli(["plan"])).out).toContain("filters=page_create");
  expect((await cli(["grants", "accept", "acme"])).code).toBe(0);
  expect((await cli(["migrate"])).out).toBe("acme 0001_init\n");
});

test("a setup that hides at the trial what it registers stops at the boot", async () => {
  const hiding = `${HONEST} let isTrial = false; try { writeFileSync(${JSON.stringify(TRACE)}, ""); } catch { isTrial = true; }
    if (!isTrial) try { on("page_create", { filter: (draft) => draft }); } catch {}`;
  write(hiding, STEP);
  expect((await cli(["grants", "accept", "acme"])).code).toBe(0);
  expect(accepted()).not.toHaveProperty("filters");
  expect(await cli(["serve"])).toMatchObject({
    code: 1,
    err: expect.stringContaining(
      '"acme" wants more than "grants" of package.json accepts:\n  + filters: page_create\n',
    ),
  });
});

test("what a trial cannot tell is recorded over a temporary store, and said", async () => {
  write(
    `await db.selectFrom("jobs").select("id").executeTakeFirstOrThrow().catch(() => { throw new Error("no rows") });`,
  );
  expect((await cli(["grants", "acme"])).out).toContain(
    "what it registers is not known as a whole: its setup fails without store and network: no rows\n",
  );
  write(`const [{ n }] = (await db.selectNoFrom((eb) => eb.lit(1).as("n")).execute()); ${HONEST}`, STEP);
  const { code, err } = await cli(["grants", "accept", "acme"]);
  expect([code, err]).toEqual([
    0,
    expect.stringContaining("Set up over a temporary store, since a trial does not tell all"),
  ]);
  expect(accepted()).toMatchObject({ handlers: ["book_create"] });
});
