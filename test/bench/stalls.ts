/**
 * `bun test/bench/stalls.ts`: for each hostile input of stalls_inputs.ts, the longest time that another user's `GET /api/books`
 * and page reads wait while it is sent, beside an undisturbed run in the same minute. They are probed every 50 ms from a
 * process of their own. Options:
 *
 * - `--pages N`: pages of the store, 20,000 by default; slow searches need many.
 * - `--only WORD`: inputs whose name holds this, any number of times.
 * - `--base-url URL --token id:secret`: a server that is running already (an older checkout, say) instead of one of its
 *   own; the token is an administrator's, and API_REQUESTS_PER_MIN must not be what is measured.
 * - `--port N`: where its own server listens. `--quiet N`: seconds of an undisturbed run.
 * - `--grow N`: instead, grows random texts for N seconds for each function of the process, see stalls_growth.ts; `--seed N`.
 */
import { parseArgs } from "node:util";
import { grow } from "./stalls_growth.ts";
import { INPUTS } from "./stalls_inputs.ts";
import { served } from "./stalls_server.ts";
import type { Input, Stage } from "./stalls_stage.ts";

const INPUT_MAX_MS = 180_000;
const AROUND_MS = 300;
const VIEWS = ["bookshelf-view-all", "book-view-all", "chapter-view-all", "page-view-all"];

const { values: options } = parseArgs({
  options: {
    pages: { type: "string", default: "20000" },
    only: { type: "string", multiple: true, default: [] },
    "base-url": { type: "string" },
    token: { type: "string" },
    port: { type: "string", default: "18090" },
    quiet: { type: "string", default: "3" },
    grow: { type: "string" },
    seed: { type: "string", default: "1" },
  },
});

interface Probed {
  readonly waits: Record<string, number[]>;
  readonly failures: Record<string, number>;
  readonly unanswered: number;
}

const out = (line: string) => process.stdout.write(`${line}\n`);
if (options.grow !== undefined) {
  const marked = await grow(Number(options.grow), { only: options.only, seed: Number(options.seed), out });
  process.exit(marked > 0 ? 1 : 0);
}
const own = options["base-url"] === undefined ? await served(Number(options.pages), Number(options.port)) : undefined;
const baseUrl = options["base-url"] ?? own?.baseUrl ?? "";
const token = options.token ?? own?.token ?? "";

const send: Stage["send"] = async (method, path, body) => {
  const response = await fetch(baseUrl + path, {
    method,
    headers: { authorization: `Token ${token}`, ...(body === undefined ? {} : { "content-type": "application/json" }) },
    signal: AbortSignal.timeout(INPUT_MAX_MS),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.text() };
};

/** Sends what must succeed. */
// biome-ignore lint/suspicious/noExplicitAny: the bench looks into answers of several shapes
async function made(path: string, body: unknown): Promise<any> {
  const answer = await send("POST", path, body);
  if (answer.status !== 200) throw new Error(`Cannot measure: POST ${path} answers ${answer.status}: ${answer.body}`);
  return JSON.parse(answer.body);
}

/** The token of another user, who sees everything. */
async function other(): Promise<string> {
  const name = `stalls ${crypto.randomUUID().slice(0, 8)}`;
  const role = await made("/api/roles", { display_name: name, permissions: ["access-api", ...VIEWS] });
  const email = `${name.replace(" ", "-")}@example.com`;
  const user = await made("/api/users", { name, email, roles: [role.id] });
  const issued = await made(`/api/users/${user.id}/tokens`, { name: "stalls" });
  return `${issued.token_id}:${issued.secret}`;
}

/** Probes while `run` goes on. */
async function probed(paths: readonly string[], run: () => Promise<unknown>): Promise<Probed> {
  const child = Bun.spawn([process.execPath, `${import.meta.dir}/stalls_probe.ts`, baseUrl, reader, ...paths], {
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
    env: { ...process.env, BUN_CONFIG_MAX_HTTP_REQUESTS: "8192" },
  });
  await Bun.sleep(AROUND_MS);
  await run();
  await Bun.sleep(AROUND_MS);
  await child.stdin.end();
  return JSON.parse(await new Response(child.stdout).text());
}

function at(waits: readonly number[] | undefined, share: number): string {
  const sorted = [...(waits ?? [])].sort((a, b) => a - b);
  return (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN).toFixed(0);
}

async function measure(input: Input): Promise<void> {
  await input.prepare?.(stage);
  const paths = ["/api/books", readPath, ...(input.also === undefined ? [] : [input.also])];
  const quiet = await probed(paths, () => Bun.sleep(Number(options.quiet) * 1000));
  const started = performance.now();
  let outcome = "no answer";
  let took = 0;
  const busy = await probed(paths, async () => {
    outcome = await input.send(stage).catch((error: Error) => error.name);
    took = performance.now() - started - AROUND_MS;
  });
  out(`\n${input.name}: ${outcome} in ${took.toFixed(0)} ms`);
  for (const path of paths) {
    const shown = (found: Probed) =>
      `longest ${at(found.waits[path], 1)} p99 ${at(found.waits[path], 0.99)} p50 ${at(found.waits[path], 0.5)} ms`;
    out(`  ${path.padEnd(28)} undisturbed ${shown(quiet)}; meanwhile ${shown(busy)}`);
  }
  for (const [what, n] of Object.entries(busy.failures)) out(`  ${n} of the other's requests: ${what}`);
  if (busy.unanswered > 0) out(`  ${busy.unanswered} of the other's requests UNANSWERED after a minute`);
}

let stage: Stage;
let reader = "";
let readPath = "";
try {
  const book = await made("/api/books", { name: "Stalls" });
  const page = await made("/api/pages", { book_id: book.id, name: "Stalls", html: "<p>Read again and again</p>" });
  stage = { baseUrl, token, book: book.id, send };
  reader = await other();
  readPath = `/api/pages/${page.id}`;
  const wanted = INPUTS.filter(
    ({ name }) => options.only.length === 0 || options.only.some((word) => name.includes(word)),
  );
  for (const input of wanted) await measure(input);
} finally {
  await own?.stop();
}
