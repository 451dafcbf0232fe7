/**
 * The walk through OWASP ASVS 5.0 in `test/security.md`: it has the requirements of the standard, each once, and the tests that it
 * names exist. Besides, what the walk says about the source as a whole.
 */
import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { findAll, listFiles, ROOT, readSources } from "./_source.ts";

/** The levels of the requirements of each section of ASVS 5.0.0, in their order: 1.1 has two, both of level 2. */
const LEVELS: Readonly<Record<string, string>> = {
  "1.1": "22",
  "1.2": "1111122223",
  "1.3": "112222222223",
  "1.4": "222",
  "1.5": "123",
  "2.1": "122",
  "2.2": "112",
  "2.3": "12223",
  "2.4": "23",
  "3.1": "3",
  "3.2": "113",
  "3.3": "12223",
  "3.4": "11222233",
  "3.5": "11122333",
  "3.6": "3",
  "3.7": "22333",
  "4.1": "12233",
  "4.2": "23333",
  "4.3": "22",
  "4.4": "1222",
  "5.1": "2",
  "5.2": "112333",
  "5.3": "113",
  "5.4": "222",
  "6.1": "122",
  "6.2": "111111112222",
  "6.3": "11223333",
  "6.4": "112233",
  "6.5": "22222333",
  "6.6": "2223",
  "6.7": "33",
  "6.8": "2222",
  "7.1": "222",
  "7.2": "1111",
  "7.3": "22",
  "7.4": "11222",
  "7.5": "223",
  "7.6": "22",
  "8.1": "1233",
  "8.2": "1123",
  "8.3": "133",
  "8.4": "23",
  "9.1": "111",
  "9.2": "1222",
  "10.1": "22",
  "10.2": "223",
  "10.3": "22223",
  "10.4": "1111122222233333",
  "10.5": "22222",
  "10.6": "22",
  "10.7": "222",
  "11.1": "2233",
  "11.2": "22233",
  "11.3": "11233",
  "11.4": "1222",
  "11.5": "23",
  "11.6": "23",
  "11.7": "33",
  "12.1": "12233",
  "12.2": "11",
  "12.3": "22223",
  "13.1": "2333",
  "13.2": "222223",
  "13.3": "2233",
  "13.4": "1222233",
  "14.1": "22",
  "14.2": "12223333",
  "14.3": "122",
  "15.1": "12233",
  "15.2": "12233",
  "15.3": "1222222",
  "15.4": "3333",
  "16.1": "2",
  "16.2": "22222",
  "16.3": "2222",
  "16.4": "222",
  "16.5": "2223",
  "17.1": "23",
  "17.2": "22223333",
  "17.3": "22",
};
const STATES = ["shown", "documented", "n/a", "open"];

interface Row {
  readonly line: number;
  readonly number: string;
  readonly level: string;
  readonly state: string;
  readonly text: string;
}

function rowsOf(text: string): Row[] {
  return text.split("\n").flatMap((line, at) => {
    const [, number = "", level = "", state = "", rest = ""] =
      /^\| (\d+\.\d+\.\d+) \| L(\d) \| [^|]+ \| ([^|]+) \| (.*) \|$/.exec(line) ?? [];
    return number === "" ? [] : [{ line: at + 1, number, level, state, text: rest }];
  });
}

/** The requirements of levels 1 and 2, with their level. */
function wanted(): string[] {
  return Object.entries(LEVELS).flatMap(([section, levels]) =>
    [...levels].flatMap((level, at) => (level === "3" ? [] : [`${section}.${at + 1} L${level}`])),
  );
}

/** The tests that a row names: a path in backticks, followed by names in quotes. */
function testsIn(text: string): { path: string; names: string[] }[] {
  return [...text.matchAll(/`([\w./-]+_test\.ts)`((?:,? “[^”]+”)+)/g)].map(([, path = "", names = ""]) => ({
    path,
    names: [...names.matchAll(/“([^”]+)”/g)].map(([, name = ""]) => name),
  }));
}

/** What is wrong with rows; `read` returns the text of a file, undefined where there is none. */
function wrongRows(rows: readonly Row[], read: (path: string) => string | undefined): string[] {
  return rows.flatMap(({ line, number, state, text }) => {
    const at = `test/security.md:${line}: ${number}`;
    if (!STATES.includes(state)) return [`${at}: "${state}" is no state`];
    if (text.trim() === "") return [`${at}: says nothing`];
    const named = testsIn(text);
    const paths = [...text.matchAll(/`([\w./-]+_test\.ts)`/g)].length;
    if (paths !== named.length) return [`${at}: names a file without a test`];
    if (state === "shown" && named.length === 0) return [`${at}: is shown by no test`];
    return named.flatMap(({ path, names }) => {
      const source = read(path);
      if (source === undefined) return [`${at}: there is no "${path}"`];
      return names.filter((name) => !isIn(source, name)).map((name) => `${at}: "${path}" has no test "${name}"`);
    });
  });
}

/** Whether a source has a name as the text of a literal. */
function isIn(source: string, name: string): boolean {
  return [JSON.stringify(name), `\`${name}\``, `\`${name.replaceAll("`", "\\`")}\``, `'${name}'`].some((literal) =>
    source.includes(literal),
  );
}

const text = readFileSync(join(ROOT, "test/security.md"), "utf8");
const rows = rowsOf(text);
const readFile = (path: string) => {
  const whole = join(ROOT, path);
  return existsSync(whole) ? readFileSync(whole, "utf8") : undefined;
};

test("every requirement of levels 1 and 2 is there once, with its level", () => {
  expect(Object.values(LEVELS).join("")).toHaveLength(345);
  expect(wanted()).toHaveLength(253);
  expect(rows.map(({ number, level }) => `${number} L${level}`)).toEqual(wanted());
});

test("every test that is named exists, and what is shown is shown by one", () => {
  expect(wrongRows(rows, readFile)).toEqual([]);
  const count = (state: string) => rows.filter((row) => row.state === state).length;
  expect(text.replace(/\s+/g, " ")).toContain(
    `${rows.length} requirements: ${count("shown")} shown by tests, ${count("documented")} documented, ${count("n/a")} not applicable, ${count("open")} open.`,
  );
});

/** Files that use MD5 where nothing depends on its strength. */
const COMPARES_BY_MD5: Readonly<Record<string, string>> = {
  "db/grants/functions.ts":
    "finds whether a function of the store is the one of this version, by what PostgreSQL computes of its text",
};

/** Scripts that use the store of the browser, with the reason. */
const KEEPS_IN_BROWSER: Readonly<Record<string, string>> = {
  "plugins/web/editing/public/conflict.js": "removes the copy of a text that the server has as a draft",
  "plugins/web/editing/public/save.js":
    "keeps what a writer has typed until its draft is saved, by user, for after a crash",
  "plugins/web/shell/public/web.js": "removes that when the user signs out",
};

/** Sources that run in the server or in a browser. */
const RUNNING = /^(?:core|db|plugins|themes)\//;
const running = () => readSources().filter(({ path }) => RUNNING.test(path) && !path.endsWith("_test.ts"));
const scripts = () =>
  listFiles()
    .filter((path) => /^plugins\/.*\/public\/.*\.js$/.test(path))
    .map((path) => ({ path, text: readFileSync(join(ROOT, path), "utf8") }));

const EVALUATES = /\beval\(|\bnew Function\(|\bvm\.run|\bsetTimeout\(\s*["'`]/g;
const WEAK_HASH = /(?:CryptoHasher|createHash|createHmac)\(\s*["'](?:md5|sha-?1)["']|\bBun\.(?:MD5|SHA1)\b/gi;
const SHARED_THREADS = /\bBun\.password\.(?:hash|verify)\(/g;
const STORES = /\b(?:localStorage|sessionStorage|indexedDB)\b|\bcaches\.open\(/g;
const LISTENS = /\bpostMessage\(|["']message["']\s*,|\.onmessage\b/g;
/** Scripts that talk to a frame of their own, and how they know who speaks. */
const TALKS: Readonly<Record<string, string>> = {
  "plugins/web/diagrams/public/diagrams.js":
    "compares the source with the window of its frame, and checks what it says",
  "plugins/web/drawings/public/drawings.js": "compares source and origin with those of the frame, a document of ours",
  "plugins/web/drawings/public/drawing_frame.js": "compares source and origin with those of draw.io, and of the screen",
  "plugins/web/diagrams/public/diagram_frame.js":
    "runs in that frame, and compares the source with the window around it",
};

test("no code of ours evaluates a text", () => {
  const found = running().flatMap(({ path, code }) => findAll(path, code, EVALUATES, "evaluates a text"));
  expect([...found, ...scripts().flatMap((one) => findAll(one.path, one.text, EVALUATES, "evaluates a text"))]).toEqual(
    [],
  );
});

test("no code of ours hashes by MD5 or SHA-1", () => {
  const found = running().filter(({ path, text: whole }) => findAll(path, whole, WEAK_HASH, "").length > 0);
  expect(found.map(({ path }) => path)).toEqual(Object.keys(COMPARES_BY_MD5));
});

test("no code of ours compares passwords in the threads that read files", () => {
  const found = running().flatMap(({ path, code }) => findAll(path, code, SHARED_THREADS, "delays files and others"));
  expect(found).toEqual([]);
});

test("no script of a screen keeps data in the browser, unsaved text aside, or listens to other windows", () => {
  expect(scripts().length).toBeGreaterThan(3);
  const keeping = scripts().filter(({ path, text: whole }) => findAll(path, whole, STORES, "").length > 0);
  expect(keeping.map(({ path }) => path).sort()).toEqual(Object.keys(KEEPS_IN_BROWSER));
  const listening = scripts().filter((one) => findAll(one.path, one.text, LISTENS, "").length > 0);
  expect(listening.map(({ path }) => path).sort()).toEqual(Object.keys(TALKS).sort());
  expect(listening.filter(({ text: whole }) => !/\bsource === /.test(whole))).toEqual([]);
});

test("the rules of security can fail", () => {
  const sample = [
    "| 1.1.1 | L2 | Decoding | shown | `a_test.ts` “it is”, “it is not” |",
    "| 1.1.2 | L2 | Encoding | shown | nobody knows |",
    "| 1.2.1 | L1 | Context | fine | `a_test.ts` “it is” |",
    "| 1.2.2 | L1 | Addresses | open | `b_test.ts` “it is” |",
  ].join("\n");
  const read = (path: string) => (path === "a_test.ts" ? 'test("it is", () => {});' : undefined);
  expect(wrongRows(rowsOf(sample), read)).toEqual([
    'test/security.md:1: 1.1.1: "a_test.ts" has no test "it is not"',
    "test/security.md:2: 1.1.2: is shown by no test",
    'test/security.md:3: 1.2.1: "fine" is no state',
    'test/security.md:4: 1.2.2: there is no "b_test.ts"',
  ]);
  expect(findAll("x.ts", 'eval("1"); new Function("x")', EVALUATES, "x")).toHaveLength(2);
  expect(findAll("x.ts", 'new Bun.CryptoHasher("md5")', WEAK_HASH, "x")).toHaveLength(1);
  expect(findAll("x.ts", "await Bun.password.verify(a, b)", SHARED_THREADS, "x")).toHaveLength(1);
  expect(findAll("x.ts", "localStorage.draft = text", STORES, "x")).toHaveLength(1);
  expect(findAll("x.ts", 'parent.postMessage("x", "*")', LISTENS, "x")).toHaveLength(1);
});
