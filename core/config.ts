/**
 * The settings of the runtime: those it needs before a plugin is loaded, and those that several plugins share. Plugins declare
 * their own. The schema is data: values are read from the environment and never printed, and a test compares the variables
 * with the README.
 */
import { type Static, Type as t } from "@sinclair/typebox";
import { databaseSettings } from "./database_settings.ts";
import { BootError } from "./errors.ts";
import { memorySettings } from "./memory_settings.ts";
import { HOUR_MS, MINUTE_MS } from "./std/time.ts";
import { trimEndChars } from "./std/trim_chars.ts";
import { workSettings } from "./work_settings.ts";

/** The setting of the largest file. Every plugin that takes files declares it among its own and so reads the same variable. */
export const fileLimit = t.Integer({
  default: 50,
  minimum: 1,
  maximum: 10_000,
  env: "FILE_UPLOAD_SIZE_LIMIT",
  unit: "megabytes of 1,024,000 bytes",
  shared: true,
  description: "Largest uploaded file",
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
    unit: "port",
    description: "Port to listen on; 0 takes a free one",
  }),
  host: t.String({ default: "127.0.0.1", env: "HOST", description: "Address to listen on; 0.0.0.0 for all" }),
  workers: t.Integer({
    default: 1,
    minimum: 1,
    maximum: 64,
    env: "SERVE_WORKERS",
    unit: "processes",
    description:
      "Processes that serve the address, as `serve --workers`, which overrides it ([operations](operations.md#several-processes-and-servers))",
  }),
  appUrl: t.String({
    default: "",
    env: "APP_URL",
    description:
      "Base URL that clients use; addresses in answers begin with it, http://HOST:PORT if empty. After a change see [operations](operations.md#change-the-address)",
  }),
  dataDir: t.String({
    default: "./data",
    env: "DATA_DIR",
    place: { of: "data", otherNames: ["DATA_DIRECTORY", "DATA_FOLDER", "DATA_PATH", "DATA_ROOT"] },
    description: "Folder of the embedded store and of uploaded files",
  }),
  dataRequired: t.Boolean({
    default: false,
    env: "DATA_REQUIRED",
    description: "Refuses a start that would create a new store, such as where a volume is not mounted",
  }),
  ...databaseSettings,
  serverLeaseSeconds: t.Integer({
    default: 120,
    minimum: 4,
    maximum: 3_600,
    constant: true,
    description:
      "Seconds after which a server that was killed is no longer counted among those of its database; alike for all of them, and longer than a machine halts",
  }),
  sharesLimits: t.Boolean({
    default: false,
    env: "RATE_LIMITS_SHARED",
    description:
      "Counts requests in the store, so that several servers on one database share the limits of users and dashboards",
  }),
  ...memorySettings,
  defaultCount: t.Integer({
    default: 100,
    minimum: 1,
    env: "API_DEFAULT_ITEM_COUNT",
    unit: "rows",
    description: "Rows of a listing without a count",
  }),
  maxCount: t.Integer({
    default: 500,
    minimum: 1,
    env: "API_MAX_ITEM_COUNT",
    unit: "rows",
    description: "Most rows of a listing",
  }),
  fileLimitMb: fileLimit,
  maxBodyBytes: t.Integer({
    default: 0,
    minimum: 0,
    env: "MAX_BODY_BYTES",
    unit: "bytes",
    description: "Largest request body (413 beyond); one and a half times the largest file if 0",
  }),
  ...workSettings,
  filesStore: t.String({
    default: "",
    env: "FILES_STORE",
    place: { of: "files", otherNames: ["FILES_STORAGE", "FILE_STORAGE"] },
    description:
      "Where uploaded files lie: disk (the data folder), s3, or the store of a plugin by its name, needed where there are several; `move-files` moves them",
  }),
  proxies: t.String({
    default: "",
    env: "APP_PROXIES",
    description: "Proxies whose X-Forwarded-For is trusted: addresses, CIDR ranges, or *; also named TRUSTED_PROXIES",
  }),
  allowPrivateHosts: t.String({
    default: "",
    env: "ALLOW_PRIVATE_HOSTS",
    description:
      "Private addresses that outgoing calls may reach: CIDR ranges, or *; addresses of cloud metadata only one by one",
  }),
  language: t.String({ default: "en", env: "APP_LANG", shared: true, description: "Language of the instance" }),
  logRequests: t.Boolean({
    default: false,
    env: "LOG_REQUESTS",
    description:
      "Writes a line of level info for each request: method, path, status, milliseconds and request id; debug writes them anyway",
  }),
  logLevel: t.Union(
    [t.Literal("debug"), t.Literal("info"), t.Literal("warn"), t.Literal("error"), t.Literal("silent")],
    {
      default: "info",
      env: "LOG_LEVEL",
      description: "debug logs each request, info each refused sign-in with its address",
    },
  ),
  idleTimeoutSeconds: t.Integer({
    default: 120,
    minimum: 4,
    maximum: 255,
    env: "IDLE_TIMEOUT_SECONDS",
    unit: "seconds",
    description: "How long a connection may be idle between requests, or while its client does not read",
  }),
  bodyTimeoutMs: t.Integer({
    default: 20_000,
    minimum: 100,
    constant: true,
    description:
      "How long a client may pause while it sends a body, or stay below the minimum rate (408 beyond): phones that change networks come back sooner",
  }),
  bodyMinRate: t.Integer({
    default: 2_000,
    minimum: 1,
    constant: true,
    description:
      "The minimum average rate at which a body has to arrive: the slowest of modems sends more, and a held connection costs memory",
  }),
  answerTimeoutMs: t.Integer({
    default: 2 * MINUTE_MS,
    minimum: 100,
    constant: true,
    description:
      "How long an answer may take, not counting the time in which the request arrives (503 beyond): proxies give up before",
  }),
  longAnswerTimeoutMs: t.Integer({
    default: HOUR_MS,
    minimum: 100,
    env: "LONG_ANSWER_TIMEOUT_MS",
    unit: "milliseconds",
    description:
      "How long an export or import, or another answer of a route that says it takes long, may take (503 beyond); other answers have two minutes",
  }),
  partTimeoutMs: t.Integer({
    default: 5_000,
    minimum: 10,
    constant: true,
    description:
      "How long a plugin's part of a screen or answer may take before the rest is answered without it, and a transaction " +
      "without a statement (503 beyond): a person waits for it",
  }),
  clockSeconds: t.Number({
    default: 5,
    minimum: 0.1,
    constant: true,
    description:
      "Difference of the clocks of server and database that the checks of the instance report: NTP keeps it below a second",
  }),
  minDiskPercent: t.Number({
    default: 10,
    minimum: 0,
    maximum: 100,
    constant: true,
    description:
      "Free part of the disk below which the checks of the instance warn, early enough for somebody to come; below half of it is an error",
  }),
  setupTimeoutMs: t.Integer({
    default: 30_000,
    minimum: 100,
    constant: true,
    description:
      "How long the setup of a plugin, or a migration between two statements, may take before the boot stops: slower than any that works, and shorter than a supervisor's patience",
  }),
  stopLingerMs: t.Integer({
    default: 100,
    minimum: 0,
    maximum: MINUTE_MS,
    constant: true,
    description:
      "How long no request must have arrived before a stopping server closes its port: proxies notice within it",
  }),
  stopWorkTimeoutMs: t.Integer({
    default: MINUTE_MS,
    minimum: 100,
    constant: true,
    description:
      "How long a stopping server waits for running jobs and for each stop hook of a plugin; a job that is cut off runs again",
  }),
  stopTimeoutMs: t.Integer({
    default: 10_000,
    minimum: 0,
    env: "STOP_TIMEOUT_MS",
    unit: "milliseconds",
    description: "How long running requests may take at a stop; then 503",
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
  /** Whether each answer is compared with its schema and differences are logged as errors; set by an argument that `dev` gives. */
  readonly checkAnswers?: boolean;
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
