/**
 * The examples of the doors "lectern/core", "lectern/contracts" and "lectern/db", and of the contracts: which functions and classes
 * the doors export, the code below each `@example` of a docstring, and one run of the compiler over all of that code. An example may
 * use every export of the doors and the names of `SETTING` without importing or declaring them.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as core from "../../core/mod.ts";
import * as db from "../../db/mod.ts";
import * as contracts from "../../plugins/contracts/mod.ts";
import { TSC } from "../support/harness/command.ts";
import { readServices, type Service } from "./_contracts.ts";
import { lineAt, ROOT, readSources, type Source } from "./_source.ts";
import { targetOf } from "./_tests.ts";

/** The doors by the name they are imported under, with what they export. */
export const DOORS: Readonly<
  Record<string, { readonly path: string; readonly values: Readonly<Record<string, unknown>> }>
> = {
  "lectern/core": { path: "core/mod.ts", values: core },
  "lectern/contracts": { path: "plugins/contracts/mod.ts", values: contracts },
  "lectern/db": { path: "db/mod.ts", values: db },
};

/** An example and where it stands. */
export interface Example {
  /** As findings name it: `core/resources/slug.ts:12`. */
  readonly place: string;
  readonly name: string;
  readonly code: string;
}

/** What examples find around them: a plugin of notes with its context, a transaction, a viewer and a request. */
const SETTING = `
import type { AnyContext, EventTransaction, FormErrors, InputObject, ItemTable, Viewer } from "lectern/core";
import type { ResourceHandlers, ResourceSpec } from "lectern/core";
import type { SubmitResult, Visit } from "lectern/contracts";
import type { Generated } from "kysely";
import type {} from "${ROOT}/plugins/content/books/contract.ts";
import type {} from "${ROOT}/plugins/content/pages/contract.ts";
import type {} from "${ROOT}/plugins/monitoring/dashboard_keys/contract.ts";
import type {} from "${ROOT}/plugins/monitoring/hosts/contract.ts";
import type {} from "${ROOT}/plugins/monitoring/dashboard_stats/contract.ts";
import type {} from "${ROOT}/plugins/themes/contract.ts";
import type { Db, Migrations } from "lectern/db";

declare module "lectern/db" {
  interface Tables {
    notes: ItemTable & { acl_id: Generated<number>; text: string };
    users: { id: Generated<number>; name: string; slug: string };
  }
}
declare module "lectern/core" {
  interface Events { user_delete: { draft: { id: number }; result: { id: number } } }
  interface Permissions { "note-pin": true }
  interface Places {
    "page/below": { readonly id: number };
    "page/toolbar": { readonly id: number };
    "statistics/figures": undefined;
  }
  interface Views { "layout/footer": undefined }
  interface ThemeHooks { note_shown: (text: string) => string | undefined }
  interface Items { note: { read: { id: number; name: string }; listed: { id: number; name: string } } }
}
declare global {
  const context: AnyContext;
  const db: Db;
  const tx: EventTransaction;
  const viewer: Viewer;
  const request: Request;
  const response: Response;
  const visit: Visit;
  const next: string;
  const input: InputObject;
  function verified(code: string | undefined, state: string | undefined): Promise<{ userId: number; next: string }>;
  function matchesCode(userId: number, code: string): Promise<boolean>;
  const error: unknown;
  const sent: SubmitResult<unknown> | undefined;
  const note: { readonly id: number; readonly owned_by: number | null } | undefined;
  const noteMigrations: Migrations;
  const noteResource: ResourceSpec<{ name: ["required"] }, { name: [] }>;
  const noteHandlers: ResourceHandlers<{ id: number; name: string }, { name: ["required"] }, { name: [] }, undefined>;
}
`;

/** Functions and classes that a door exports from files of Lectern, by name, with the file that declares each. */
export function callablesOf(door: Source, values: Readonly<Record<string, unknown>>): Map<string, string> {
  const files = new Map<string, string>();
  for (const [, list = "", specifier = ""] of door.text.matchAll(/export\s*\{([^}]*)\}\s*from\s*"(\.[^"]+)"/g))
    for (const exported of list.split(","))
      files.set(exported.replace(/\btype\s.*/s, "").trim(), targetOf(door.path, specifier));
  return new Map([...files].filter(([name]) => typeof values[name] === "function"));
}

/** Where an export is declared in a text. */
function declarationIn(text: string, name: string): number {
  const declared = new RegExp(`^export (?:async )?(?:function\\*?|class|const) ${name}\\b`, "m").exec(text);
  return declared?.index ?? 0;
}

/** The docstring of an export, marks included; "" where it has none. */
export function docstringOf({ text }: Source, name: string): string {
  const above = text.slice(0, declarationIn(text, name)).replace(/(?:^\/\/.*\n)+$/m, "");
  return /\/\*\*(?:(?!\*\/)[\s\S])*\*\/(?=\n$)/.exec(above)?.[0] ?? "";
}

/** The examples in the docstring of an export; none where it has no docstring or no `@example`. */
export function examplesOf(source: Source, name: string): Example[] {
  const { path, text } = source;
  const doc = docstringOf(source, name).slice("/**".length, -"*/".length);
  const [, ...examples] = doc.split(/^ \* @example\b/m);
  const place = `${path}:${lineAt(text, declarationIn(text, name))}`;
  return examples.map((example) => ({
    place,
    name,
    code: (example.split(/^ \* @/m)[0] ?? "").replace(/^ \* ?/gm, "").trim(),
  }));
}

/** Checks the types of examples in one run of the compiler. Returns findings: `place: code of name: what is wrong`. */
export function checkTypes(examples: readonly Example[]): string[] {
  const folder = mkdtempSync(join(tmpdir(), "lectern-examples-"));
  try {
    const options = { noUnusedLocals: false, noUnusedParameters: false };
    const config = { extends: join(ROOT, "tsconfig.json"), include: ["*.ts"], compilerOptions: options };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
    writeFileSync(join(folder, "setting.ts"), SETTING);
    for (const [at, example] of examples.entries()) writeFileSync(join(folder, `example_${at}.ts`), moduleOf(example));
    const run = Bun.spawnSync([process.execPath, "x", ...TSC, folder, "--pretty", "false"], { cwd: ROOT });
    return findingsOf(run.stdout.toString() + run.stderr.toString(), examples);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A module with the imports that the example's code needs; the code itself is in a function, since it may return. */
function moduleOf({ code }: Example): string {
  const exported = /^export default /m.test(code);
  return `${importsFor(code)}\n${exported ? code : `export async function example() {\n${code}\n}`}\n`;
}

/** The imports of what code uses of the doors, a line for each of them. What two doors export comes from the first. */
export function importsFor(code: string): string {
  const imported = new Set<string>();
  const lines = Object.entries(DOORS).map(([door, { values }]) => {
    const used = Object.keys(values).filter(
      (name) => !imported.has(name) && new RegExp(`(?<!(?<!\\.\\.)\\.|\\w)${name}\\b(?!\\??:)`).test(code),
    );
    for (const name of used) imported.add(name);
    return used.length > 0 ? `import { ${used.join(", ")} } from "${door}";` : "";
  });
  return lines.filter(Boolean).join("\n");
}

function findingsOf(output: string, examples: readonly Example[]): string[] {
  return output
    .split("\n")
    .filter((line) => line.includes("error "))
    .map((line) => {
      const found = /example_(\d+)\.ts\(\d+,\d+\): (.*)/.exec(line);
      const example = examples[Number(found?.[1] ?? -1)];
      return example ? `${example.place}: the example of "${example.name}": ${found?.[2]}` : line;
    });
}

/** Every contract and every slot of a replaceable service, with its examples and those of its members. */
export function readServiceExamples(): { service: Service; examples: Example[] }[] {
  return readServices().map((service) => {
    const place = `${service.path}:${service.line}`;
    const codes = [service, ...service.members].flatMap(({ examples }) => examples);
    return { service, examples: codes.map((code) => ({ place, name: service.name, code })) };
  });
}

/** Every function and class of the doors, with its examples. */
export function readExamples(): { name: string; path: string; examples: Example[] }[] {
  const sources = new Map(readSources().map((source) => [source.path, source]));
  return Object.values(DOORS).flatMap(({ path, values }) =>
    [...callablesOf(sources.get(path) as Source, values)].map(([name, file]) => ({
      name,
      path: file,
      examples: examplesOf(sources.get(file) as Source, name),
    })),
  );
}
