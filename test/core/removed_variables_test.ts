import { expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TObject } from "@sinclair/typebox";
import { definePlugin, t } from "lectern/core";
import { refuseRemovedVariables } from "../../core/cli/removed_variables.ts";
import { configSchema } from "../../core/config.ts";
import { readSettings } from "../../core/runtime/settings.ts";
import shipped, { removedVariables } from "../../plugins/mod.ts";
import { CLI } from "../support/harness/command.ts";

const refusalOf = (env: Record<string, string>, plugins = shipped) => {
  try {
    refuseRemovedVariables(env, plugins, removedVariables);
  } catch (error) {
    return (error as Error).message;
  }
  return "";
};
const schemas: TObject[] = [configSchema, ...shipped.flatMap(({ settings }) => (settings ? [settings] : []))];
const fields = schemas.flatMap((schema) =>
  Object.entries(schema.properties).map(([field, spec]) => ({ field, spec, schema })),
);
const variables = new Set(fields.map(({ spec }) => spec.env).filter((env) => env !== undefined));

test.each(Object.entries(removedVariables))("%s says what stands for it", (name, text) => {
  expect(refusalOf({ [name]: "1" })).toBe(
    `Cannot start: ${name} is gone: ${text}. Remove what is gone from the environment or .env`,
  );
  expect(variables.has(name)).toBe(false);
  const set = /^set (\w+)/.exec(text)?.[1];
  if (set !== undefined) expect(variables).toContain(set);
  else expect(text).toMatch(/^(?:it is \S+ now, since |run `lectern )/);
});

test("several are named at once; one without a value, and one that a plugin reads, are none", () => {
  const both = refusalOf({ WEBHOOK_REDIRECTS: "3", PAGE_MAX_BYTES: "9" });
  expect(both).toContain("WEBHOOK_REDIRECTS is gone: it is 5 now");
  expect(both).toContain("PAGE_MAX_BYTES is gone: set MAX_TEXT_BYTES");
  expect(refusalOf({ WEBHOOK_REDIRECTS: "", PORT: "1" })).toBe("");
  const own = definePlugin({
    name: "own",
    settings: t.Object({ seconds: t.Integer({ default: 1, env: "MAIL_TIMEOUT" }) }),
    setup() {},
  });
  expect(refusalOf({ MAIL_TIMEOUT: "3" }, [own])).toBe("");
});

test.each<[string, Record<string, string>, string]>([
  ["the environment", { WEBHOOK_REDIRECTS: "3" }, ""],
  [".env", {}, "WEBHOOK_REDIRECTS=3\n"],
])(
  "a start with one in %s ends with what stands for it, and makes no store",
  async (_title, env, file) => {
    const folder = mkdtempSync(join(tmpdir(), "lectern-removed-"));
    writeFileSync(join(folder, ".env"), file);
    const started = Bun.spawn([process.execPath, CLI, "serve", "--workers", "2", "lectern/plugins"], {
      cwd: folder,
      env: { PATH: process.env.PATH, HOME: folder, PORT: "0", DATABASE_URL: "", ...env },
      stdout: "pipe",
      stderr: "pipe",
      // One that is not refused is stopped.
      timeout: 50_000,
    });
    const [code, out, err] = await Promise.all([
      started.exited,
      new Response(started.stdout).text(),
      new Response(started.stderr).text(),
    ]);
    expect(code).toBe(1);
    expect(out + err).toContain("Cannot start: WEBHOOK_REDIRECTS is gone: it is 5 now, since");
    expect([...new Bun.Glob("data/**").scanSync({ cwd: folder })]).toEqual([]);
    rmSync(folder, { recursive: true, force: true });
  },
  60_000,
);

test("a constant is not read from the environment, and the numbers of the table are those of the constants", () => {
  const constants = fields.filter(({ spec }) => spec.constant === true);
  expect(constants.length).toBeGreaterThan(30);
  expect(constants.filter(({ spec }) => spec.env !== undefined || typeof spec.description !== "string")).toEqual([]);
  const said = Object.values(removedVariables).flatMap((text) => /^it is (\S+) now/.exec(text)?.[1] ?? []);
  const defaults = new Set(constants.map(({ spec }) => String(spec.default)));
  // What the checks of the instance and the log of webhooks have is no field.
  expect(said.filter((value) => !defaults.has(value))).toEqual(["24", "14"]);
});

test("a multiple follows its base, and its default is that of the default", () => {
  const multiples = fields.filter(({ spec }) => spec.times !== undefined);
  expect(multiples.length).toBe(10);
  for (const { field, spec, schema } of multiples) {
    const { of, by } = spec.times as { of: string; by: number };
    const base = schema.properties[of] as typeof spec;
    const read = (env: Record<string, string>, constants = {}): unknown =>
      (readSettings("x", schema, env, {}, constants) as Record<string, unknown>)[field];
    expect([field, spec.default]).toEqual([field, base.default * by]);
    expect(read({})).toBe(spec.default);
    const more = base.default * 2;
    expect(read({ [String(base.env)]: String(more) })).toBe(more * by);
    expect(read({}, { [field]: 7_000 })).toBe(7_000);
  }
});
