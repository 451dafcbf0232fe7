/**
 * What an operator may set for the house itself, as data: the schema is read from the environment, printed nowhere with its
 * values, and compared with the README by a test. Settings of plugins are the plugins' own; here stands what the house
 * needs before there is any plugin, and what several plugins must agree on.
 */
import { type Static, Type as t } from "@sinclair/typebox";
import { BootError } from "./errors.ts";

/** The setting of the largest file, for every plugin that takes files: spread into its own, it reads the same variable. */
export const fileLimit = t.Integer({
  default: 50,
  minimum: 1,
  maximum: 10_000,
  env: "FILE_UPLOAD_SIZE_LIMIT",
  shared: true,
  description: "Largest uploaded file in megabytes of 1000 kilobytes of 1024 bytes",
});

/** The bound of a rule such as `max:50000` for a file limit in megabytes: kilobytes of 1024 bytes (content-api 1.1). */
export function fileKilobytes(limitMb: number): number {
  return limitMb * 1000;
}

/** What an operator may set for the house itself; each field names its environment variable. */
export const configSchema = t.Object({
  port: t.Integer({
    default: 8080,
    minimum: 0,
    maximum: 65535,
    env: "PORT",
    description: "Port to listen on; 0 takes a free one",
  }),
  host: t.String({ default: "127.0.0.1", env: "HOST", description: "Address to listen on; 0.0.0.0 for all" }),
  appUrl: t.String({ default: "", env: "APP_URL", description: "The address clients use; http://HOST:PORT if empty" }),
  dataDir: t.String({
    default: "./data",
    env: "DATA_DIR",
    description: "Folder of the embedded store and of uploaded files",
  }),
  databaseUrl: t.String({
    default: "",
    env: "DATABASE_URL",
    description: "A PostgreSQL server; the embedded store if empty",
  }),
  poolSize: t.Integer({
    default: 6,
    minimum: 2,
    maximum: 100,
    env: "DATABASE_POOL",
    description: "Connections to the store",
  }),
  requestsPerMinute: t.Integer({
    default: 180,
    minimum: 1,
    maximum: 100_000_000,
    env: "API_REQUESTS_PER_MIN",
    description: "API requests per user and minute",
  }),
  sharesLimits: t.Boolean({
    default: false,
    env: "RATE_LIMITS_SHARED",
    description: "Counts requests in the store, so that several servers on one database share their limits",
  }),
  defaultCount: t.Integer({
    default: 100,
    minimum: 1,
    env: "API_DEFAULT_ITEM_COUNT",
    description: "Rows of a listing unless asked otherwise",
  }),
  maxCount: t.Integer({ default: 500, minimum: 1, env: "API_MAX_ITEM_COUNT", description: "Most rows of a listing" }),
  fileLimitMb: fileLimit,
  maxBodyBytes: t.Integer({
    default: 0,
    minimum: 0,
    env: "MAX_BODY_BYTES",
    description: "Largest request body in bytes (413 beyond); half again as large as the largest file if 0",
  }),
  filesS3Bucket: t.String({
    default: "",
    env: "FILES_S3_BUCKET",
    description: "Keeps uploaded files in this bucket of an S3-compatible service; below DATA_DIR if empty",
  }),
  filesS3Endpoint: t.String({ default: "", env: "FILES_S3_ENDPOINT", description: "Address of that service" }),
  filesS3Key: t.String({ default: "", env: "FILES_S3_KEY", description: "Id of the access key" }),
  filesS3Secret: t.String({ default: "", env: "FILES_S3_SECRET", description: "Secret of the access key" }),
  filesS3Region: t.String({ default: "us-east-1", env: "FILES_S3_REGION", description: "Region of the bucket" }),
  proxies: t.String({
    default: "",
    env: "APP_PROXIES",
    description: "Proxies whose X-Forwarded-For counts: addresses, CIDR ranges, or *",
  }),
  allowPrivateHosts: t.String({
    default: "",
    env: "ALLOW_PRIVATE_HOSTS",
    description:
      "Private addresses that outgoing calls may reach: CIDR ranges, or *; those of clouds' metadata one by one alone",
  }),
  theme: t.String({
    default: "",
    env: "APP_THEME",
    description: "The theme in force, by its folder below themes",
  }),
  language: t.String({ default: "en", env: "APP_LANG", description: "Language of messages" }),
  logLevel: t.Union(
    [t.Literal("debug"), t.Literal("info"), t.Literal("warn"), t.Literal("error"), t.Literal("silent")],
    {
      default: "info",
      env: "LOG_LEVEL",
      description: "debug also writes a line for each request",
    },
  ),
  stopTimeoutMs: t.Integer({
    default: 10_000,
    minimum: 0,
    env: "STOP_TIMEOUT_MS",
    description: "How long running requests may take to finish at a stop",
  }),
});

/** The settings of the house. */
export type Config = Static<typeof configSchema>;

const BYTES_PER_KILOBYTE = 1024;

/** The largest body in bytes: as configured, else large enough that a file beyond its limit gets a 422 and no 413. */
export function bodyLimitOf({ maxBodyBytes, fileLimitMb }: Config): number {
  return maxBodyBytes > 0 ? maxBodyBytes : fileKilobytes(fileLimitMb) * BYTES_PER_KILOBYTE * 1.5;
}

/** The address under which the house knows itself, without a final slash. Throws BootError where it is none. */
export function baseUrlOf(config: Config): string {
  const host = config.host.includes(":") ? `[${config.host}]` : config.host;
  const own = `http://${host === "0.0.0.0" || host === "[::]" ? "localhost" : host}:${config.port}`;
  const url = config.appUrl === "" ? own : config.appUrl;
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new BootError(`Cannot use APP_URL: found "${url}", wanted an address such as "https://docs.example.com"`);
  return url.replace(/\/+$/, "");
}
