/**
 * Core knows no plugin: its code and its strings hold no name of a plugin, of a plugin's event or of a plugin's table. The
 * names are read from the sources and found as whole words of identifiers and texts, singulars too: `saveTags` and
 * `page_create` count, `stage` does not. Comments may give examples. Not searched: `core/cli`
 * (a client of the API, commands over plugins), except for words about themes.
 */
import { expect, test } from "bun:test";
import plugins from "../../plugins/mod.ts";
import { declaredIn } from "./_hooks.ts";
import { isTest, lineAt, readSource, readSources, type Source } from "./_source.ts";

const SEARCHED = /^core\/(?!cli\/|cli\.ts$)/;
const ALL_OF_CORE = /^core\//;

/** Words that have a meaning of their own in core, which is not the plugin of that name. */
const OWN_WORDS: Readonly<Record<string, string>> = {
  access: 'the permission "access-api", which a route asks for by default; keys of object stores',
  exports: "what a module of Bun has",
  host: "a machine of the network: where to listen, what may be called",
  hosts: "machines of the network that a plugin may call",
  instance: "TypeScript's InstanceType",
  language: "of texts: the catalogue is core's",
  languages: "those of the catalogue",
  link: "of the file system; link-local addresses; an address that a rule judges",
  loader: "how Bun reads a module",
  migrate: "runs the migrations of plugins",
  package: "package.json",
  page: "of memory, of the listing of a bucket",
  pages: "of memory",
  permission_name: "the type of names that plugins add",
  reading: "the act, of a body",
  role: "a role of PostgreSQL",
  roles: "a viewer has ids of roles",
  search: "the query string of a URL",
  session: "a way in which a viewer was recognised",
  setting: "a value that an operator sets",
  settings: "values that an operator sets",
  system: "the viewer of jobs and commands",
  tag: "of a process, of an entity (ETag), of a language",
  token: "a way in which a viewer was recognised; of the listing of a bucket; a secret in a log",
  user: "a viewer is a user; the contract of that name",
  users: "viewers are users; the contract of that name",
  web: "WebSocket",
};

/** Files in which a word has a meaning that somebody else has fixed. */
const PLACES: readonly { readonly path: RegExp; readonly word: string; readonly why: string }[] = [
  { path: /^core\/http\/endpoint\.ts$/, word: "tags", why: "a key of OpenAPI" },
  { path: /^core\/http\/file_response\.ts$/, word: "attachment", why: "a disposition of RFC 6266" },
  {
    path: /^core\/(?:validation\/|i18n\/catalogue\.ts$)/,
    word: "image",
    why: 'the rule "image_extension" of the wire contract (content-api 2.2)',
  },
  { path: /^core\/config\.ts$/, word: "docs", why: "of an example of an address" },
  {
    path: /^core\/(?:define_theme|mod)\.ts$/,
    word: "theme",
    why: "themes of operators import defineTheme from lectern/core; all but this function is the plugin's",
  },
  { path: /^core\/http\/(?:compression|static_file)\.ts$/, word: "image", why: "of media types" },
  {
    path: /^core\/cli\/dev\.ts$/,
    word: "themes",
    why: "a folder that `dev` watches; it loads no plugin, so that it runs even if one is broken",
  },
];

/** A name as words in small letters: "saveTags" is "save_tags", "URLSearchParams" is "url_search_params". */
function wordsOf(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1_$2")
    .toLowerCase();
}

/** A name and its singular. */
function formsOf(name: string): string[] {
  const singular = name
    .replace(/ves$/, "f")
    .replace(/ies$/, "y")
    .replace(/(?<!s)s$/, "");
  return [name, singular];
}

/** The names of plugins, by folder and as they declare it, of their tables and of their events. */
function namesOfPlugins(sources: readonly Source[]): Set<string> {
  const own = sources.filter(({ path }) => path.startsWith("plugins/"));
  const folders = own.flatMap(({ path }) => /^plugins\/(?:[^/]+\/)?([^/]+)\/plugin\.ts$/.exec(path)?.[1] ?? []);
  // A plugin may declare a table of core for itself, to read it.
  const coreTables = sources
    .filter(({ path }) => path.startsWith("core/"))
    .flatMap(({ text }) => [...text.matchAll(/create (?:unlogged )?table (\w+)/g)].map(([, table]) => table));
  const tables = declaredIn(own, "Tables").flatMap(({ name }) => (coreTables.includes(name) ? [] : [name]));
  const events = declaredIn(own, "Events").map(({ name }) => name);
  return new Set([...[...folders, ...plugins.map(({ name }) => name), ...tables].flatMap(formsOf), ...events]);
}

/** The text of a file with its comments blanked. */
function withoutComments({ text, comments }: Source): string {
  let rest = text;
  for (const comment of comments) {
    const at = rest.indexOf(comment.text);
    rest = rest.slice(0, at) + comment.text.replace(/[^\n]/g, " ") + rest.slice(at + comment.text.length);
  }
  return rest;
}

interface Found {
  readonly path: string;
  readonly line: number;
  readonly word: string;
  readonly token: string;
}

/** Where a file of core has a name of a plugin, allowed or not. */
function namedIn(source: Source, names: ReadonlySet<string>, searched = SEARCHED): Found[] {
  if (!searched.test(source.path) || isTest(source.path)) return [];
  const text = withoutComments(source);
  return [...text.matchAll(/[A-Za-z][A-Za-z0-9_]*/g)].flatMap(({ 0: token, index }) => {
    if (token === "import" || token === "export") return [];
    const words = wordsOf(token).split("_");
    const runs = words.flatMap((_, from) =>
      words.slice(from).map((_last, length) => words.slice(from, from + length + 1).join("_")),
    );
    const found = runs.filter((word) => names.has(word));
    return found.map((word) => ({ path: source.path, line: lineAt(text, index), word, token }));
  });
}

function isAllowed({ path, word }: Found): boolean {
  return Object.hasOwn(OWN_WORDS, word) || PLACES.some((place) => place.word === word && place.path.test(path));
}

/** Every name of a plugin in core. */
function findings(sources: readonly Source[], names: ReadonlySet<string>, searched = SEARCHED): string[] {
  return sources
    .flatMap((source) => namedIn(source, names, searched))
    .filter((found) => !isAllowed(found))
    .map(
      ({ path, line, word, token }) =>
        `${path}:${line}: "${token}" names "${word}" of a plugin: core knows no plugin, its owner brings this through a seam`,
    );
}

const SOURCES = readSources();
const NAMES = namesOfPlugins(SOURCES);

test("core names no plugin, no event and no table of one", () => {
  expect(findings(SOURCES, NAMES)).toEqual([]);
});

test("core has no word of a theme, in commands neither", () => {
  const names = new Set(["theme", "themes"]);
  expect(findings(SOURCES, names, ALL_OF_CORE)).toEqual([]);
  const bad = readSource("core/cli/open.ts", "const loaded = loadTheme(name);");
  expect(findings([bad], names, ALL_OF_CORE)).toHaveLength(1);
});

test("the names are those of the sources", () => {
  for (const name of ["books", "book", "shelf", "page_revisions", "webhook_call_before", "dash_keys", "book_create"])
    expect([name, NAMES.has(name)]).toEqual([name, true]);
  for (const name of ["jobs", "schedules", "rate_windows", "app_boot"])
    expect([name, NAMES.has(name)]).toEqual([name, false]);
});

test("no word is allowed that core does not use", () => {
  const found = SOURCES.flatMap((source) => namedIn(source, NAMES));
  const unused = Object.keys(OWN_WORDS).filter((word) => !found.some((each) => each.word === word));
  const inCore = SOURCES.flatMap((source) => namedIn(source, NAMES, ALL_OF_CORE));
  const places = PLACES.filter(({ path, word }) => !inCore.some((each) => each.word === word && path.test(each.path)));
  expect([...unused, ...places.map(({ word, path }) => `${word} in ${path}`)]).toEqual([]);
});

test("the rule of names can fail", () => {
  const bad: readonly [line: string, word: string][] = [
    ["export async function saveTags() {}", "tags"],
    ['if (field === "tags") return;', "tags"],
    ['return form.image === "" ? null : form;', "image"],
    ['bus.on("webhook_call_before", handlers);', "webhook_call_before"],
    ["await sql`select 1 from page_revisions`;", "page_revisions"],
    ['routeScope("/v1/dashboard", spec);', "dashboard"],
    ["const shelfOf = 1;", "shelf"],
    ["type Draft = Events['comment_create'];", "comment_create"],
  ];
  for (const [line, word] of bad)
    expect(findings([readSource("core/http/server.ts", line)], NAMES)).toContainEqual(
      expect.stringMatching(new RegExp(`^core/http/server\\.ts:1: "\\w+" names "${word}" of a plugin`)),
    );
});

test("the rule of names lets pass comments, contracts, tests and words of another meaning", () => {
  const good: readonly [path: string, line: string][] = [
    ["core/registry.ts", '/** Such as "book_create". */ export type EventName = string; // book'],
    ["plugins/contracts/tags.ts", "export interface Tags {}"],
    ["core/http/server_test.ts", 'ask("/api/books");'],
    ["core/http/server.ts", "const stage = heritage(footage);"],
    ["core/workers/listen.ts", "const { host, language } = settings;"],
  ];
  for (const [path, line] of good) expect(findings([readSource(path, line)], NAMES)).toEqual([]);
});
