/** The types that screens get for answers: each is that of the schema which the route of its path names. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import type { Visit } from "lectern/contracts";
import { ROOT, readSources } from "../rules/_source.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

interface Declared {
  /** The file that declares it. */
  readonly file: string;
  /** Method and path, with `:x` in place of parameters. */
  readonly route: string;
  readonly isListing: boolean;
  /** The name of the schema, such as `roleAnswers.read`. */
  readonly schema: string;
  /** That of the answer with another status of success. */
  readonly other: string | undefined;
}

/** A member of `Answers`, whose type is that of a schema, of a listing of it, or that of a kind in `Items`. */
const MEMBER =
  /^\s*(?:"([^"]+)"|\[\w+: `([^`]+)`\]): (Static|ListingOf|Item|ItemListing)<(?:typeof ([\w.]+)|"(\w+)")>(?: \| Static<typeof (\w+)>)?;$/;

/** The schema of a kind in the `Items` that a file declares. */
function schemaOfItem(text: string, kind: string, moment: string): string {
  const [, moments = ""] = new RegExp(`\\b${kind}: \\{([^}]*)\\}`).exec(text) ?? [];
  const [, schema] = new RegExp(`\\b${moment}: Static<typeof ([\\w.]+)>`).exec(moments) ?? [];
  if (schema === undefined) throw new Error(`There is no schema of ${kind}, ${moment}`);
  return schema;
}

/** The members of `Answers`, as the contracts of plugins add them. */
function declaredAnswers(): Declared[] {
  return readSources()
    .filter(({ path }) => /^plugins\/\w+\/\w+\/(?:contract|answers)\.ts$/.test(path))
    .flatMap(({ path: file, text }) => {
      const [, members = ""] = /interface Answers \{\n([\s\S]*?)\n {2}\}/.exec(text) ?? [];
      const lines = members.split("\n").filter((line) => line !== "" && !/^\s*(?:\/\*\*|\*)/.test(line));
      return lines.map((line) => {
        const found = MEMBER.exec(line);
        if (!found) throw new Error(`${file}: cannot read ${line}`);
        const [, plain, pattern, kind = "", named, item = "", other] = found;
        const key = (plain ?? pattern ?? "").replace(/\$\{\w+\}/g, ":x");
        const isListing = kind.endsWith("ListingOf") || kind === "ItemListing";
        const schema = named ?? schemaOfItem(text, item, isListing ? "listed" : "read");
        return { file, route: key.startsWith("/") ? `GET ${key}` : key, isListing, schema, other };
      });
    });
}

/** The name that a schema has in the document of the API. */
async function nameOf({ file, isListing }: Declared, schema: string): Promise<string> {
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
  const named = runtime.runtime.http.routes().map(({ method, path, response = {} }) => {
    const schemas = Object.entries(response).flatMap(([status, one]) => (status.startsWith("2") ? [one?.$id] : []));
    return [`${method} ${path.replace(/:\w+/g, ":x")}`, schemas] as const;
  });
  const declared = declaredAnswers();
  expect(declared.length).toBeGreaterThan(60);
  expect(new Set(declared.map(({ route }) => route.split(" ")[0]))).toEqual(new Set(["DELETE", "GET", "POST", "PUT"]));
  for (const answer of declared) {
    const found = named.filter(([route]) => route === answer.route).flatMap(([, names]) => [...new Set(names)]);
    const { other, schema } = answer;
    const names = await Promise.all(
      [schema, ...(other === undefined ? [] : [other])].map((one) => nameOf(answer, one)),
    );
    expect([answer.route, found]).toEqual([answer.route, names]);
  }
});

/** Compiled, and not called. */
async function typed(visit: Visit) {
  const id: number = (await visit.get(`/api/users/${7}`)).id;
  const names: string[] = (await visit.get("/api/users?count=500&sort=name")).data.map(({ name }) => name);
  // @ts-expect-error: a listing of users has no roles
  const roles = (await visit.get("/api/users")).data[0]?.roles;
  // @ts-expect-error: no route is known by this path
  const unknown = await visit.get("/api/nobody");
  const secret = await visit.send("POST", `/api/users/${7}/tokens`, { name: "Backup" });
  const token: string = secret.ok ? secret.body.secret : secret.message;
  const found = await visit.find(`/api/books/${7}?include=contents`);
  // @ts-expect-error: it may not be found
  const slug = found.slug;
  const gone = await visit.send("DELETE", `/api/books/${7}`);
  // @ts-expect-error: the route answers nothing
  const nothing = gone.ok && gone.body.id;
  return [id, names, roles, unknown, token, slug, nothing];
}

test("requests of a screen take the types of answers from their methods and paths", () => {
  expect(typed).toHaveLength(1);
});
