/**
 * `bun test/bench/precision.ts [NAME=VALUE …] [misses]`: whether `/api/search` finds the page that answers a question. It loads the
 * documentation of bun-types (1,396 pages: folders become books and chapters, by `load`) into an empty server and asks the 200
 * questions of `precision_questions/` as the administrator. `mode=better`, for instance, is added to each address; with `misses` the
 * questions whose page is not among the first three are printed, with its place and what was found in front of it.
 *
 * A question has one to three pages that answer it equally well, written `path # heading`; without a heading the page as a whole
 * answers. They were drawn at random from sections and lint rules, read, and put into words before any was searched for: do not adapt
 * them to an engine. The kinds: `plain`; `typing_errors`, one word with one or two letters swapped, left out, doubled or wrong;
 * `punctuation`, as in paths, calls, error codes and versions; `phrases`, which are asked in quotation marks.
 *
 * A place is that in the whole answer: a book or chapter in front of the page counts. Questions are of one version of bun-types, and of
 * pages and headings that it has; on another the program stops, and who raises the version reads the questions again.
 *
 * The search of 0.2, which stems no words and corrects none: first, among the first three, among the first ten, not found (`report.md`
 * has the latest figures and the times).
 *
 *     plain           32   39   55   45   of 100
 *     typing_errors   13   22   32   18   of  50
 *     punctuation     12   17   19   11   of  30
 *     phrases         20   20   20    0   of  20
 *     all             77   98  126   74   of 200
 *
 * With `mode=better`, the same way:
 *
 *     plain           80   88   95    5   of 100
 *     typing_errors   40   48   49    1   of  50
 *     punctuation     25   27   29    1   of  30
 *     phrases         20   20   20    0   of  20
 *     all            165  183  193    7   of 200
 */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { load as loadFolder } from "../../plugins/transfer/loader/load.ts";
import { LoadState } from "../../plugins/transfer/loader/state.ts";
import { openBenchServers, SERVE, TOKEN } from "./bench_servers.ts";
import { median, record } from "./record.ts";

const PORT = 18_109;
const VERSION = "1.4.5";
const KINDS = ["plain", "typing_errors", "punctuation", "phrases"];
/** Items of an answer that are looked at. */
const COUNT = 10;
/** Items that a reader looks at first. */
const SHOWN = 3;
/** Searches that are not measured, for code that is not compiled and pages that are not in memory yet. */
const WARMING = 30;
const PACKAGE = Bun.resolveSync("bun-types/package.json", import.meta.dir);
const DOCS = join(dirname(PACKAGE), "docs");
const BASE_URL = `http://127.0.0.1:${PORT}`;
const args = process.argv.slice(2);
/** What is added to the query string of each search. */
const options = args.filter((arg) => arg.includes("=")).join("&");
const headers = { authorization: `Token ${TOKEN}` };

interface Question {
  readonly kind: string;
  readonly ask: string;
  /** Paths of the pages that answer. */
  readonly paths: readonly string[];
}

/** An item of an answer. */
interface Found {
  readonly type: string;
  readonly id: number;
  readonly name: string;
}

interface Result {
  readonly question: Question;
  readonly found: readonly Found[];
  /** From 1; infinite where none of the right pages is found. */
  readonly place: number;
  readonly ms: number;
}

/** The questions. Throws where one names a page or heading that is not there. */
function readQuestions(): Question[] {
  const { version } = JSON.parse(readFileSync(PACKAGE, "utf8")) as { version: string };
  if (version !== VERSION)
    throw new Error(`Cannot measure: the questions are of bun-types ${VERSION}, found ${version}; read them again`);
  return KINDS.flatMap((kind) => {
    const file = join(import.meta.dir, "precision_questions", `${kind}.json`);
    const questions = JSON.parse(readFileSync(file, "utf8")) as Record<string, string | readonly string[]>;
    return Object.entries(questions).map(([text, answers]) => ({
      kind,
      ask: kind === "phrases" ? `"${text}"` : text,
      paths: [answers].flat().map((answer) => pathOf(answer, text)),
    }));
  });
}

function pathOf(answer: string, question: string): string {
  const [path = "", heading] = answer.split(" # ");
  const lines = readFileSync(join(DOCS, path), "utf8").split("\n");
  const headings = lines
    .filter((line) => /^#{1,6} /.test(line))
    .map((line) => line.replace(/^#+ +|`/g, "").replace(/\[([^\]]*)\]\([^)]*\)/g, "$1"));
  if (heading !== undefined && !headings.includes(heading))
    throw new Error(`Cannot measure "${question}": found no heading "${heading}" in ${path}`);
  return path;
}

/** Loads the pages, one after the other so that their ids are the same in each run, and gives the ids by path. */
async function fill(dataDir: string): Promise<(path: string) => number> {
  const stateFile = join(dataDir, "precision_state.json");
  const options = { folder: DOCS, baseUrl: BASE_URL, token: TOKEN, concurrency: 1, stateFile };
  const { pages } = await loadFolder(options, { begin() {}, step() {}, say() {} });
  if (pages.failed > 0) throw new Error(`Cannot measure: ${pages.failed} pages were not loaded`);
  process.stdout.write(`${pages.created} pages of bun-types ${VERSION} loaded\n`);
  const state = await LoadState.open(stateFile, BASE_URL);
  return (path) => {
    const id = state.get(path)?.id;
    if (id === undefined) throw new Error(`Cannot measure: ${path} was not loaded`);
    return id;
  };
}

async function search(text: string): Promise<Pick<Result, "found" | "ms">> {
  const query = new URLSearchParams(options);
  query.set("query", text);
  query.set("count", String(COUNT));
  const started = performance.now();
  const answer = await fetch(`${BASE_URL}/api/search?${query}`, { headers });
  const body = (await answer.json()) as { data: readonly Found[] };
  const ms = performance.now() - started;
  if (!answer.ok) throw new Error(`Cannot measure "${text}": found status ${answer.status}, wanted 200`);
  return { found: body.data, ms };
}

async function resultOf(question: Question, idOf: (path: string) => number): Promise<Result> {
  const { found, ms } = await search(question.ask);
  const ids = question.paths.map(idOf);
  const index = found.findIndex(({ type, id }) => type === "page" && ids.includes(id));
  return { question, found, ms, place: index === -1 ? Number.POSITIVE_INFINITY : index + 1 };
}

function printMiss({ question, found, place }: Result): void {
  const before = found.slice(0, Math.min(place - 1, SHOWN)).map(({ name }) => name);
  process.stdout.write(
    `${question.ask}: ${place <= COUNT ? `place ${place}` : "not found"}, wanted ${question.paths.join(" or ")}, found ${before.join(", ")}\n`,
  );
}

function report(kind: string, results: readonly Result[]): void {
  const within = (most: number) => results.filter(({ place }) => place <= most).length;
  record("Where the right page is found", {
    kind,
    "added to the address": options || "nothing",
    questions: results.length,
    first: within(1),
    "first three": within(SHOWN),
    "first ten": within(COUNT),
    "not found": results.length - within(COUNT),
    "p50 ms": median(results.map(({ ms }) => ms)).toFixed(1),
  });
}

const questions = readQuestions();
const servers = await openBenchServers();
try {
  await servers.start([process.execPath, ...SERVE], { ...servers.env, PORT: String(PORT) }, PORT);
  const idOf = await fill(servers.dataDir);
  for (let n = 0; n < WARMING; n++) await search(`warming ${n} of the search`);
  const results: Result[] = [];
  for (const question of questions) results.push(await resultOf(question, idOf));
  if (args.includes("misses")) for (const result of results) if (result.place > SHOWN) printMiss(result);
  for (const kind of KINDS)
    report(
      kind,
      results.filter(({ question }) => question.kind === kind),
    );
  report("all", results);
} finally {
  await servers.stop();
}
