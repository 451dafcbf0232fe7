import { expect, test } from "bun:test";
import { BOTH_STORES } from "../support/suite/both_stores.ts";
import { importsOf, readSource, readSources, type Source } from "./_source.ts";

/** Modules of the harness that open a runtime, or a store of the tests' server. */
const OPENS = /\/support\/harness\/(?:test_runtime|test_database|scenario|attachments)\.ts$/;

/** Imports of what is below a runtime: stores without one, and what db does not export. */
const BELOW = /\/support\/harness\/test_database\.ts$|^(?:\.\.\/)+db\/(?!mod\.ts$)/;

/** Calls about connections, and of the plans of statements. */
const CALLS = /\bstore\.(?:listen|notify|load)\(|\bplanOf\(/;

/** What SQL about the server itself names, by subject. */
const SUBJECTS: Readonly<Record<string, RegExp>> = {
  catalogs: /\bpg_[a-z]\w*|\binformation_schema\b|\bserver_version|\bversion\(\)|\bmax_connections\b/i,
  collation: /\bcollate\b|\btext_(?:key|pattern)\b/i,
  functions: /\bcreate (?:or replace )?(?:function|trigger)\b|\b(?:en|dis)able trigger\b/i,
  roles:
    /\b(?:create|alter|set|reset|drop) (?:local )?role\b|\bhas_\w+_privilege\b|\bsecurity definer\b|\b(?:grant|revoke) [\w, ]+ on [\w ]+ (?:to|from)\b/i,
  locks:
    /\block table\b|\bisolation level\b|\bprepare transaction\b|\bfor (?:no key )?(?:update|share)\b|\bskip locked\b|\bserializable\b|\b40(?:001|P01)\b/i,
  connections: /\s{2}(?:un)?(?:listen|notify) [a-z_]\w*(?:\s{2}|;)/i,
  search: /\bto_tsvector\b|\bto_tsquery\b|\bsimilarity\(/i,
  limits: /\b(?:statement|lock|idle_in_transaction_session)_timeout\b/i,
  plans: /\b(?:explain|analyze|vacuum)\b/i,
};

/** Files of which the rule finds such a subject, and one kind of store is enough, with the reason. */
const ONE_STORE: Readonly<Record<string, string>> = {
  "test/content/gone_kinds_test.ts": "a generated column of a plugin's own table, as the shipped tables have them",
  "test/core/answer_cache_property_test.ts": "waits for notifications; answer_cache_test.ts is about them, and on both",
  "test/core/boot_statements_test.ts":
    "a step that takes its time; two_servers_test.ts is about two boots, and on both",
  "test/core/disk_full_test.ts": "a function that raises the error of a full disk",
  "test/core/planned_statements_test.ts": "a server of its own",
  "test/operations/health_test.ts": "a statement that takes its time, for a metric",
  "test/operations/isolated_plugin_test.ts":
    "a catalog that is refused before it is asked; grants_escape_test.ts is on both",
  "test/operations/webhooks_moments_test.ts": "a constraint that stands for a full disk",
  "test/server/replicas_test.ts": "servers of its own",
  "test/web/content_labels_test.ts": "a generated column of a plugin's own table, as the shipped tables have them",
  "test/web/kept_screens_test.ts": "waits for notifications; answer_cache_test.ts is about them, and on both",
};

function opensStore(source: Source): boolean {
  return source.path.endsWith("_test.ts") && importsOf(source).some(({ specifier }) => OPENS.test(specifier));
}

/** What a test file is about of the server itself; undefined for other files. */
function subjectOf(source: Source): string | undefined {
  if (!opensStore(source)) return undefined;
  if (importsOf(source).some(({ specifier }) => BELOW.test(specifier))) return "below";
  if (CALLS.test(source.code)) return "calls";
  const literals = literalsOf(source);
  return Object.entries(SUBJECTS).find(([, pattern]) => pattern.test(literals))?.[0];
}

/** The text of a source without its code and comments. */
function literalsOf({ text, code, comments }: Source): string {
  const uncommented = comments.reduce(
    (rest, comment) => rest.replace(comment.text, " ".repeat(comment.text.length)),
    text,
  );
  return uncommented.replace(/[^\n]/g, (letter, at: number) => (code[at] === letter ? " " : letter));
}

test("a test about versions, roles, collation, triggers or connections runs on both stores", () => {
  const found = readSources().filter((source) => !(source.path in BOTH_STORES) && subjectOf(source) !== undefined);
  expect(found.map(({ path }) => path)).toEqual(Object.keys(ONE_STORE));
});

test("the files that run on both stores are there, in order, and open a store of the tests", () => {
  const opening = new Set(
    readSources()
      .filter(opensStore)
      .map(({ path }) => path),
  );
  const listed = Object.keys(BOTH_STORES);
  expect(listed.filter((path) => !opening.has(path))).toEqual([]);
  expect(listed).toEqual(listed.toSorted());
});

test("the rule finds each subject, in SQL and calls alone, and in tests that open a store alone", () => {
  const opens = 'import { bootTestRuntime } from "../support/harness/test_runtime.ts";\n';
  const subject = (text: string, path = "test/core/one_test.ts") => subjectOf(readSource(path, text));
  const samples: Readonly<Record<string, string>> = {
    catalogs: "sql`select rolname from pg_roles`;",
    collation: 'store.sql.unsafe("select name collate \\"C\\"");',
    functions: "sql`create or replace trigger t before insert on x`;",
    roles: "sql`set local role visitor`;",
    locks: "sql`select id from jobs for no key update`;",
    connections: 'await sql.unsafe("listen news");',
    search: "sql`select to_tsvector('a b')`;",
    limits: "sql`set local lock_timeout = 1`;",
    plans: "sql`explain select 1`;",
    calls: 'await server.store.listen("x", {});',
    below: 'import { syncRoles } from "../../db/grants/roles.ts";',
  };
  for (const [name, text] of Object.entries(samples)) expect([name, subject(opens + text)]).toEqual([name, name]);
  expect(subject('import { openTestStore } from "../support/harness/test_database.ts";')).toBe("below");
  expect(subject("sql`select rolname from pg_roles`;")).toBeUndefined();
  expect(subject(opens + samples.catalogs, "test/core/_one.ts")).toBeUndefined();
  expect(
    subject(`${opens}// pg_roles\nconst pg_roles = planOf; sql\`select id from \${pg_roles}\`; /* for update */`),
  ).toBeUndefined();
});
