/**
 * A whole runtime for a test: a fresh database (test_database.ts), booted plugins, and a client whose requests take the same
 * path as those from a port. Each test file boots its own and stops it after its last test; a job or connection that is still
 * open fails the stop.
 */
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AnyContext, AnyPlugin } from "lectern/core";
import { type Db, openStore, type Store, type StoreOptions } from "lectern/db";
import { withExtensions } from "../../../core/cli/extend_plugins.ts";
import { configSchema } from "../../../core/config.ts";
import { DISK } from "../../../core/files/contributed_store.ts";
import { folderStore } from "../../../core/files/file_store.ts";
import type { AnswerMismatch } from "../../../core/http/answer_judge.ts";
import { currentRequestId } from "../../../core/http/request_context.ts";
import { createLog } from "../../../core/log.ts";
import { boot, type Runtime, type RuntimeOptions } from "../../../core/runtime/boot.ts";
import { withoutPlugins } from "../../../core/runtime/left_out.ts";
import { type Constants, readSettings } from "../../../core/runtime/settings.ts";
import plugins from "../../../plugins/mod.ts";
import { timedBoot } from "./boot_times.ts";
import { recorded } from "./sent_statements.ts";
import { createTestDatabase, DEFAULT_ENV, openTestStore } from "./test_database.ts";

export { testFileStore } from "./file_store_suite.ts";

/** A request of a test. */
export interface RequestOptions {
  /** A token `id:secret`; the administrator's by default, null for none. */
  readonly as?: string | null;
  readonly body?: unknown;
  readonly form?: Record<string, string>;
  readonly parts?: FormData;
  readonly headers?: Record<string, string>;
}

/** Its answer; `body` is parsed where it is JSON, else text. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly body: any;
}

/** A booted runtime and its client. */
export interface TestRuntime {
  readonly runtime: Runtime;
  readonly store: Store;
  readonly db: Db;
  readonly contexts: ReadonlyMap<string, AnyContext>;
  /** The administrator's token. */
  readonly token: string;
  readonly baseUrl: string;
  /** The name of its database. */
  readonly database: string;
  /** Uploaded files are in its folder "files", those of requests under way in "spool". */
  readonly dataDir: string;
  ask(method: string, path: string, ask?: RequestOptions): Promise<Answer>;
  /** Creates a role with these permissions and a user who holds it; returns the user's token and ids. */
  person(name: string, permissions: readonly string[]): Promise<{ token: string; id: number; role: number }>;
  /** Makes a token of a user. */
  tokenOf(email: string): Promise<string>;
  stop(): Promise<void>;
}

/** Options of a test's runtime. */
export interface TestRuntimeOptions {
  /** Further environment variables. */
  readonly env?: Record<string, string>;
  /** Other values of constants by plugin, and of those of the runtime under "core", such as small limits. */
  readonly constants?: Constants;
  /** Names of shipped plugins that are left out; the database is then a new one without their tables. */
  readonly without?: readonly string[];
  /**
   * Names of the only shipped plugins that boot, with those that they require, where a test needs no more; the database has the
   * tables of all.
   */
  readonly only?: readonly string[];
  /** Plugins beside those that ship. */
  readonly extra?: readonly AnyPlugin[];
  /** Whether these count as shipped, as for what shipped plugins alone may do. */
  readonly areShipped?: boolean;
  /** The operator's settings, and the grants that the operator denies and accepts. */
  readonly choices?: Pick<RuntimeOptions, "settings" | "denied" | "grants">;
  /** Fills the fresh database and the data folder before the boot, as an older version left them. */
  prepare?(store: Store, dataDir: string): Promise<void>;
  /** Another runtime whose database this one shares, as a second server would; it is stopped before that one. */
  readonly beside?: TestRuntime;
  /** Milliseconds that cached values may be behind the store, such as a second as in production; by default more than a busy machine halts. */
  readonly maxNoticeAgeMs?: number;
  /** A server to use instead of that of the tests, and its replicas. */
  readonly on?: Pick<StoreOptions, "readUrls" | "readMaxLagMs" | "readCheckMs" | "onEvent"> & {
    readonly databaseUrl: string;
  };
}

const { ADMIN_TOKEN, APP_URL: BASE_URL } = DEFAULT_ENV;
/** What only the first boot over a database reads. */
const FIRST_BOOT_ENV = ["ADMIN_EMAIL", "ADMIN_PASSWORD", "ADMIN_TOKEN"];
/** Between two looks at replicas. */
const TEST_CHECK_MS = 200;
/** What was cached stays in use while a busy machine halts the process. */
const LONG_NOTICE_AGE_MS = 60_000;

/** Boots a runtime over a fresh database. */
export async function bootTestRuntime(options: TestRuntimeOptions = {}): Promise<TestRuntime> {
  const dataDir = mkdtempSync(join(tmpdir(), "lectern-runtime-"));
  chmodSync(dataDir, 0o755);
  const { beside, on, only, prepare, without = [] } = options;
  const chosen = only === undefined ? plugins : plugins.filter(({ name }) => only.includes(name));
  const installed = withoutPlugins(chosen, without, "lectern/plugins");
  const isEmpty = prepare !== undefined || without.length > 0;
  const isFirst = FIRST_BOOT_ENV.some((name) => options.env?.[name] !== undefined);
  const content = isEmpty ? "empty" : isFirst ? "migrated" : "booted";
  const own = beside || on ? undefined : await createTestDatabase(content);
  const database = own?.name ?? beside?.database ?? "";
  const store = on
    ? recorded(await openStore({ readCheckMs: TEST_CHECK_MS, ...on, dataDir: "" }))
    : await openTestStore(database);
  // Copies of one template would be one instance to `migrate-from`.
  if (own?.isCopy) await store.sql`update instance set id = gen_random_uuid()`;
  await prepare?.(store, dataDir);
  const env: Record<string, string> = {
    ...DEFAULT_ENV,
    DATA_DIR: dataDir,
    ...options.env,
  };
  const { constants } = options;
  const config = readSettings("lectern", configSchema, env, {}, constants?.core);
  const log = createLog(config.logLevel, undefined, currentRequestId);
  const drops = async () => {
    await own?.drop();
    rmSync(dataDir, { recursive: true, force: true });
  };
  const mismatches: AnswerMismatch[] = [];
  const settings = options.choices?.settings;
  const start = async () =>
    boot({
      config,
      onAnswerMismatch: (mismatch) => mismatches.push(mismatch),
      store,
      files: { name: DISK, files: folderStore(join(config.dataDir, "files")) },
      log,
      plugins: await withExtensions([...installed, ...(options.extra ?? [])], { env, settings, constants }),
      shipped: options.areShipped ? [...plugins, ...(options.extra ?? [])] : plugins,
      env,
      maxNoticeAgeMs: options.maxNoticeAgeMs ?? LONG_NOTICE_AGE_MS,
      constants,
      ...options.choices,
    });
  const runtime = await timedBoot(start).catch(async (error: unknown) => {
    // Some tests want a boot that fails; it has to close and remove the same.
    await store.close();
    await drops();
    throw error;
  });
  const client = clientOf(runtime, mismatches);
  return {
    runtime,
    store,
    db: store.db,
    contexts: runtime.contexts,
    token: ADMIN_TOKEN,
    baseUrl: BASE_URL,
    database,
    dataDir,
    ...client,
    async stop() {
      await runtime.stop();
      await drops();
      throwMismatches(mismatches);
    },
  };
}

/** Throws for answers that their schemas do not describe, also those of calls within the process. */
function throwMismatches(mismatches: AnswerMismatch[]): void {
  const found = mismatches.splice(0);
  if (found.length === 0) return;
  const lines = found.map(({ route, schema, path, message }) => `${route} ${schema}${path}: ${message}`);
  throw new Error(`An answer is not as its schema says:\n${lines.join("\n")}`);
}

function clientOf(runtime: Runtime, mismatches: AnswerMismatch[]): Pick<TestRuntime, "ask" | "person" | "tokenOf"> {
  const ask: TestRuntime["ask"] = async (method, path, { as = ADMIN_TOKEN, body, form, parts, headers = {} } = {}) => {
    const sent = new Headers(headers);
    if (as !== null) sent.set("authorization", `Token ${as}`);
    let content: string | FormData | undefined = parts;
    if (form) {
      content = new URLSearchParams(form).toString();
      sent.set("content-type", "application/x-www-form-urlencoded");
    } else if (body !== undefined) {
      content = typeof body === "string" ? body : JSON.stringify(body);
      if (!sent.has("content-type")) sent.set("content-type", "application/json");
    }
    const request = new Request(BASE_URL + path, {
      method,
      headers: sent,
      ...(content === undefined ? {} : { body: content }),
    });
    const response = await runtime.http.handle(request, "127.0.0.1");
    const text = await response.text();
    throwMismatches(mismatches);
    // Internal columns are in no answer.
    if (/"(?:display_name|name|value)_key":/.test(text)) throw new Error(`A key is shown by ${method} ${path}`);
    const json = response.headers.get("content-type")?.startsWith("application/json") && text !== "";
    return { status: response.status, headers: response.headers, body: json ? JSON.parse(text) : text };
  };
  const person: TestRuntime["person"] = async (name, permissions) => {
    const run = crypto.randomUUID().slice(0, 8);
    const role = await ask("POST", "/api/roles", { body: { display_name: `${name} ${run}`, permissions } });
    const user = await ask("POST", "/api/users", {
      body: { name, email: `${name}-${run}@example.com`, roles: [role.body.id] },
    });
    const token = await tokenFor(runtime, `${name}-${run}@example.com`);
    return { token, id: user.body.id, role: role.body.id };
  };
  return { ask, person, tokenOf: (email) => tokenFor(runtime, email) };
}

/** Runs the command an operator would run. */
async function tokenFor(runtime: Runtime, email: string): Promise<string> {
  const lines: string[] = [];
  const io = { out: (line: string) => void lines.push(line), err: () => {}, env: {}, columns: 80, tty: false };
  for (const { plugin } of runtime.booted) {
    const command = plugin.commands.token;
    if (command)
      await command.run(["create", "--user", email, "--name", "test"], io, runtime.contexts.get(plugin.name));
  }
  return lines.at(-1) ?? "";
}
