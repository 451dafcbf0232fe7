/**
 * The settings of the runtime: those it needs before a plugin is loaded, and those that several plugins share. Plugins declare
 * their own. The schema is data: values are read from the environment and never printed, and a test compares the variables
 * with the README.
 */
import { type Static, Type as t } from "@sinclair/typebox";
import { BootError } from "./errors.ts";
import { memorySettings } from "./memory_settings.ts";
import { replicaSettings } from "./replica_settings.ts";
import { s3Fields } from "./s3_fields.ts";
import { HOUR_MS, MINUTE_MS } from "./std/time.ts";
import { trimEndChars } from "./std/trim_chars.ts";
import { workSettings } from "./work_settings.ts";

/** The setting of the largest file. Every plugin that takes files declares it among its own and so reads the same variable. */
export const fileLimit = t.Integer({
  default: 50,
  minimum: 1,
  maximum: 10_000,
  env: "FILE_UPLOAD_SIZE_LIMIT",
  shared: true,
  description: "Largest uploaded file in megabytes of 1000 kilobytes of 1024 bytes",
});

/**
 * The bound of a rule such as `max:50000` for a file limit in megabytes: kilobytes of 1024 bytes (content-api 1.1).
 * @example
 * const noteRules = rules({ file: ["required", "file", `max:${fileKilobytes(50)}`] });
 */
export function fileKilobytes(limitMb: number): number {
  return limitMb * 1000;
}

/** The settings of the runtime; each field names its environment variable. */
export const configSchema = t.Object({
  port: t.Integer({
    default: 8080,
    minimum: 0,
    maximum: 65535,
    env: "PORT",
    description: "Port to listen on; 0 takes a free one",
  }),
  host: t.String({ default: "127.0.0.1", env: "HOST", description: "Address to listen on; 0.0.0.0 for all" }),
  workers: t.Integer({
    default: 1,
    minimum: 1,
    maximum: 64,
    env: "SERVE_WORKERS",
    description: "Processes that serve the address; `serve --workers` overrides it",
  }),
  appUrl: t.String({ default: "", env: "APP_URL", description: "The address clients use; http://HOST:PORT if empty" }),
  dataDir: t.String({
    default: "./data",
    env: "DATA_DIR",
    description: "Folder of the embedded store and of uploaded files",
  }),
  dataRequired: t.Boolean({
    default: false,
    env: "DATA_REQUIRED",
    description: "Refuses a start that would create a new store, such as where a volume is not mounted",
  }),
  databaseUrl: t.String({
    default: "",
    env: "DATABASE_URL",
    description: "A PostgreSQL server, or several hosts of a cluster; the embedded store if empty",
  }),
  prepare: t.Boolean({
    default: true,
    env: "DATABASE_PREPARE",
    description: "Prepares statements; false behind a pooler in transaction mode that refuses it",
  }),
  listenUrl: t.String({
    default: "",
    env: "DATABASE_LISTEN_URL",
    description: "The server itself, for notifications, where DATABASE_URL is a pooler in transaction mode",
  }),
  ...replicaSettings,
  pluginRoles: t.Union([t.Literal("third-party"), t.Literal("all"), t.Literal("off")], {
    default: "third-party",
    env: "PLUGIN_ROLES",
    description:
      "Plugins whose statements PostgreSQL restricts to their grants: third-party (those that do not ship), all or off",
  }),
  poolSize: t.Integer({
    default: 6,
    minimum: 2,
    maximum: 100,
    env: "DATABASE_POOL",
    description: "Connections to the store",
  }),
  slowPoolSize: t.Integer({
    default: 4,
    minimum: 1,
    maximum: 100,
    env: "DATABASE_SLOW_POOL",
    description: "Connections for slow statements, beside the others; one user has half of them at most",
  }),
  databaseTimeoutMs: t.Integer({
    default: 5_000,
    minimum: 100,
    env: "DATABASE_TIMEOUT_MS",
    description: "How long the store may take for an ordinary read and to begin a write (503 beyond)",
  }),
  databaseWaitMs: t.Integer({
    default: 10_000,
    minimum: 100,
    env: "DATABASE_WAIT_MS",
    description: "How long to wait for a free connection (503 beyond)",
  }),
  writeTimeoutMs: t.Integer({
    default: 30_000,
    minimum: 100,
    env: "WRITE_TIMEOUT_MS",
    description: "How long the store may take for each statement of a write (503 beyond)",
  }),
  listingTimeoutMs: t.Integer({
    default: 10_000,
    minimum: 100,
    env: "LISTING_TIMEOUT_MS",
    description: "How long the store may take for a listing with filters or a far offset (422 beyond)",
  }),
  jobTimeoutMs: t.Integer({
    default: 10 * MINUTE_MS,
    minimum: 100,
    env: "JOB_TIMEOUT_MS",
    description: "How long the store may take for each statement of a job in the background",
  }),
  requestsPerMinute: t.Integer({
    default: 180,
    minimum: 1,
    maximum: 100_000_000,
    env: "API_REQUESTS_PER_MIN",
    description: "API requests per user and minute",
  }),
  serverLeaseSeconds: t.Integer({
    default: 120,
    minimum: 4,
    maximum: 3_600,
    env: "SERVER_LEASE_SECONDS",
    description: "Seconds after which a server that was killed is no longer counted among those of its database",
  }),
  sharesLimits: t.Boolean({
    default: false,
    env: "RATE_LIMITS_SHARED",
    description: "Counts requests in the store, so that all servers on one database share their limits",
  }),
  ...memorySettings,
  defaultCount: t.Integer({
    default: 100,
    minimum: 1,
    env: "API_DEFAULT_ITEM_COUNT",
    description: "Rows of a listing without a count",
  }),
  maxCount: t.Integer({ default: 500, minimum: 1, env: "API_MAX_ITEM_COUNT", description: "Most rows of a listing" }),
  fileLimitMb: fileLimit,
  maxBodyBytes: t.Integer({
    default: 0,
    minimum: 0,
    env: "MAX_BODY_BYTES",
    description: "Largest request body in bytes (413 beyond); one and a half times the largest file if 0",
  }),
  ...workSettings,
  maxTextBytes: t.Integer({
    default: 20_971_520,
    minimum: 100_000,
    env: "MAX_TEXT_BYTES",
    description: "Largest JSON or urlencoded body, and all texts of a form together, in bytes (413 beyond)",
  }),
  filesStore: t.String({
    default: "",
    env: "FILES_STORE",
    description:
      "Where uploaded files lie: disk, s3, or the store of a plugin by its name; needed where there are several",
  }),
  ...s3Fields,
  proxies: t.String({
    default: "",
    env: "APP_PROXIES",
    description: "Proxies whose X-Forwarded-For counts: addresses, CIDR ranges, or *",
  }),
  allowPrivateHosts: t.String({
    default: "",
    env: "ALLOW_PRIVATE_HOSTS",
    description:
      "Private addresses that outgoing calls may reach: CIDR ranges, or *; metadata addresses of clouds only one by one",
  }),
  language: t.String({ default: "en", env: "APP_LANG", description: "Language of messages" }),
  backupDir: t.String({
    default: "",
    env: "BACKUP_DIR",
    description: "Folder of backups, or s3://bucket/path; by default backups in the data folder",
  }),
  backupKeep: t.Integer({
    default: 7,
    minimum: 0,
    env: "BACKUP_KEEP",
    description: "Number of backups kept in BACKUP_DIR; 0 keeps all",
  }),
  backupBeforeMigrations: t.Union([t.Literal("embedded"), t.Literal("always"), t.Literal("never")], {
    default: "embedded",
    env: "BACKUP_BEFORE_MIGRATIONS",
    description:
      "Backs up the store before migrations of present tables; embedded: where the store is the embedded one",
  }),
  logRequests: t.Boolean({
    default: false,
    env: "LOG_REQUESTS",
    description: "Writes a line of level info for each request; debug writes them anyway",
  }),
  logLevel: t.Union(
    [t.Literal("debug"), t.Literal("info"), t.Literal("warn"), t.Literal("error"), t.Literal("silent")],
    {
      default: "info",
      env: "LOG_LEVEL",
      description: "debug also writes a line for each request",
    },
  ),
  idleTimeoutSeconds: t.Integer({
    default: 120,
    minimum: 4,
    maximum: 255,
    env: "IDLE_TIMEOUT_SECONDS",
    description: "How long a connection may be idle between requests, or while an answer is sent",
  }),
  checkAnswers: t.Boolean({
    default: false,
    env: "CHECK_ANSWERS",
    description: "Compares each answer with its schema and logs an error where they differ; set by `dev`",
  }),
  bodyTimeoutMs: t.Integer({
    default: 20_000,
    minimum: 100,
    env: "BODY_TIMEOUT_MS",
    description: "How long a client may pause while it sends a body, or stay below the minimum rate (408 beyond)",
  }),
  bodyMinRate: t.Integer({
    default: 2_000,
    minimum: 1,
    env: "BODY_MIN_BYTES_PER_SECOND",
    description: "The minimum average rate at which a body has to arrive",
  }),
  answerTimeoutMs: t.Integer({
    default: 2 * MINUTE_MS,
    minimum: 100,
    env: "ANSWER_TIMEOUT_MS",
    description: "How long an answer may take, not counting the time in which the request arrives (503 beyond)",
  }),
  longAnswerTimeoutMs: t.Integer({
    default: HOUR_MS,
    minimum: 100,
    env: "LONG_ANSWER_TIMEOUT_MS",
    description: "The same for routes that say they take long",
  }),
  partTimeoutMs: t.Integer({
    default: 5_000,
    minimum: 10,
    env: "PLUGIN_PART_TIMEOUT_MS",
    description:
      "How long a plugin's part of a screen or answer may take before the rest is answered without it, and a transaction " +
      "without a statement (503 beyond)",
  }),
  clockSeconds: t.Number({
    default: 5,
    minimum: 0.1,
    env: "CHECK_CLOCK_SECONDS",
    description: "Difference of the clocks of server and database that the checks of the instance report",
  }),
  minDiskPercent: t.Number({
    default: 10,
    minimum: 0,
    maximum: 100,
    env: "CHECK_DISK_PERCENT",
    description: "Free part of the disk below which the checks of the instance warn; below half of it is an error",
  }),
  setupTimeoutMs: t.Integer({
    default: 30_000,
    minimum: 100,
    env: "PLUGIN_SETUP_TIMEOUT_MS",
    description:
      "How long the setup of a plugin, or a migration between two statements, may take before the boot stops",
  }),
  stopLingerMs: t.Integer({
    default: 100,
    minimum: 0,
    maximum: MINUTE_MS,
    env: "STOP_LINGER_MS",
    description: "How long no request must have arrived before a stopping server closes its port",
  }),
  stopWorkTimeoutMs: t.Integer({
    default: MINUTE_MS,
    minimum: 100,
    env: "STOP_WORK_TIMEOUT_MS",
    description: "How long a stopping server waits for running jobs and for each stop hook of a plugin",
  }),
  stopTimeoutMs: t.Integer({
    default: 10_000,
    minimum: 0,
    env: "STOP_TIMEOUT_MS",
    description: "How long a stopping server waits for running requests",
  }),
});

/** This process as one worker of `serve --workers`. */
export interface Worker {
  /** From 1. */
  readonly number: number;
  /** A folder for memory that the workers of this server share. */
  readonly folder: string;
  readonly peers: WorkerPeers;
}

/** The other workers of a server, as one of them asks and answers them. */
export interface WorkerPeers {
  /** Sets what this worker answers to questions of a topic. */
  onAsk(topic: string, answer: () => Promise<unknown>): void;
  /** Asks the others. Resolves to the answers that came in time, without an order. */
  ask(topic: string): Promise<readonly unknown[]>;
}

/** The settings of the runtime. */
export type Config = Static<typeof configSchema> & {
  /** This process as one of several workers; set by the arguments of the command. */
  readonly worker?: Worker;
};

const BYTES_PER_KILOBYTE = 1024;

/** The largest body in bytes: as configured, else large enough that a file beyond its limit is answered 422 and not 413. */
export function bodyLimitOf({ maxBodyBytes, fileLimitMb }: Config): number {
  return maxBodyBytes > 0 ? maxBodyBytes : fileKilobytes(fileLimitMb) * BYTES_PER_KILOBYTE * 1.5;
}

/** The base URL of the instance, without a final slash: APP_URL, else host and port. Throws BootError if it is not a URL. */
export function baseUrlOf(config: Config): string {
  const host = config.host.includes(":") ? `[${config.host}]` : config.host;
  const own = `http://${host === "0.0.0.0" || host === "[::]" ? "localhost" : host}:${config.port}`;
  const url = config.appUrl === "" ? own : config.appUrl;
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new BootError(`Cannot use APP_URL: found "${url}", wanted an address such as "https://docs.example.com"`);
  return trimEndChars(url, "/");
}
