/** The types that screens get for answers: each is that of the schema which the route of its path names. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import type { Visit } from "lectern/contracts";
import { ROOT, readSources } from "../rules/_source.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

interface Declared {
  /** The file that declares it. */
  readonly file: string;
  /** With `:x` in place of parameters. */
  readonly path: string;
  readonly isListing: boolean;
  /** The name of the schema, such as `roleAnswers.read`. */
  readonly schema: string;
}

/** The members of `Answers`, as the contracts of plugins add them. */
function declaredAnswers(): Declared[] {
  return readSources()
    .filter(({ path }) => path.endsWith("/contract.ts"))
    .flatMap(({ path: file, text }) => {
      const [, members = ""] = /interface Answers \{\n([\s\S]*?)\n {2}\}/.exec(text) ?? [];
      const lines = members.split("\n").filter((line) => line !== "" && !/^\s*(?:\/\*\*|\*)/.test(line));
      return lines.map((line) => {
        const found = /^\s*(?:"([^"]+)"|\[\w+: `([^`]+)`\]): (Static|ListingOf)<typeof ([\w.]+)>;$/.exec(line);
        if (!found) throw new Error(`${file}: cannot read ${line}`);
        const [, plain, pattern, kind, schema = ""] = found;
        const path = (plain ?? pattern ?? "").replace(/\$\{\w+\}/g, ":x");
        return { file, path, isListing: kind === "ListingOf", schema };
      });
    });
}

/** The name that a schema has in the document of the API. */
async function nameOf({ file, isListing, schema }: Declared): Promise<string> {
  // A module of a plugin, of which only the names of its schemas are read.
  const module = (await import(join(ROOT, file))) as object;
  const found = schema
    .split(".")
    .reduce<object>((part, key) => (part as Record<string, object>)[key] as object, module);
  const { $id = "" } = found as { $id?: string };
  return isListing ? `${$id.replace(/ListItem$/, "")}Listing` : $id;
}

let runtime: TestRuntime;
beforeAll(async () => {
  runtime = await bootTestRuntime();
});
afterAll(() => runtime.stop());

test("an answer that screens know by path is the one that the route of the path names", async () => {
  const routes = runtime.runtime.http.routes().filter(({ method }) => method === "GET");
  const named = routes.map(({ path, response }) => [path.replace(/:\w+/g, ":x"), response?.[200]?.$id] as const);
  const declared = declaredAnswers();
  expect(declared.length).toBeGreaterThan(15);
  for (const answer of declared) {
    const found = named.filter(([path]) => path === answer.path).map(([, name]) => name);
    expect([answer.path, found]).toEqual([answer.path, [await nameOf(answer)]]);
  }
});

/** Compiled, and not called. */
async function typed(visit: Visit) {
  const id: number = (await visit.get(`/api/users/${7}`)).id;
  const names: string[] = (await visit.get("/api/users?count=500&sort=name")).data.map(({ name }) => name);
  // @ts-expect-error: a listing of users has no roles
  const roles = (await visit.get("/api/users")).data[0]?.roles;
  // @ts-expect-error: no route is known by this path
  const unknown = (await visit.get("/api/nobody")).id;
  const own = (await visit.get<{ text: string }>("/api/notes/1")).text;
  return [id, names, roles, unknown, own];
}

test("get() of a screen takes its type from the path, or from its author where the path is not known", () => {
  expect(typed).toHaveLength(1);
});
