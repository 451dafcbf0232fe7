/**
 * The command `migrate-from`: reads arguments and environment, checks the source and the permissions of the token, runs,
 * shows progress and prints a report. The token is never printed. The command can run beside a server on the same store.
 */
import { parseArgs } from "node:util";
import { AnswerError, ApiClient, type Command, type CommandIo, Progress, serverUrlOf } from "lectern/cli";
import type { AnyContext } from "lectern/core";
import { SECOND_MS } from "lectern/core";
import { type Db, overAll } from "lectern/db";
import { AddressRewriter } from "./address_rewriter.ts";
import type { MigrateContext, MigrateOptions, ProgressListener } from "./contract.ts";
import { copyAll } from "./copy_all.ts";
import { Marks } from "./marks.ts";
import { Report } from "./report.ts";
import { Source } from "./source.ts";
import { MigrationState } from "./state.ts";
import { TargetMap } from "./target_map.ts";

const DEFAULT_CONCURRENCY = 4;
const MAX_CONCURRENCY = 16;
const USAGE =
  "--base-url URL --token ID:SECRET [--also-known-as URL …] [--concurrency 4] [--all] [--overwrite] [--without-permissions]";

/** A run cannot start; the message is printed. */
class UsageError extends Error {}

/** The parsed arguments. */
interface MigrateArguments extends MigrateOptions {
  readonly baseUrl: string;
  readonly token: string;
  /** Further base URLs of the source that occur in its content. */
  readonly aliases: readonly string[];
}

/** `migrate-from`: copies another server into this one. Exit code 1: something failed; 2: invalid arguments. */
export const migrateFrom: Command = {
  summary: "copies a whole BookStack, or another server of this API, into this one",
  usage: USAGE,
  store: true,
  async run(args, io, context) {
    const progress = new Progress(io);
    const started = performance.now();
    try {
      if (!context) throw new UsageError("Cannot run without a store");
      const report = await migrate(readArguments(args, io.env), context, progress);
      progress.clear();
      for (const line of report.lines((performance.now() - started) / SECOND_MS)) io.out(line);
      return report.isClean ? 0 : 1;
    } catch (error) {
      if (!(error instanceof UsageError || error instanceof AnswerError)) throw error;
      progress.say(
        error instanceof AnswerError ? `Cannot copy: ${error.message}${hintOf(error)}` : error.message,
        "err",
      );
      return error instanceof UsageError ? 2 : 1;
    }
  },
};

function hintOf({ status }: AnswerError): string {
  if (status === 401) return "; check --token or MIGRATE_TOKEN, which has the form ID:SECRET";
  return status === 403 ? "; the user of the token needs the permission to use the API" : "";
}

function readArguments(args: readonly string[], env: CommandIo["env"]): MigrateArguments {
  const { values } = parse(args);
  const baseUrl = serverUrlOf(values["base-url"] ?? "");
  if (baseUrl === undefined)
    throw new UsageError("Give the address of the source, with http:// or https://, by --base-url");
  const token = values.token ?? env.MIGRATE_TOKEN ?? "";
  if (!/^[!-9;-~]+:[!-~]+$/.test(token)) throw new UsageError("Give a token as ID:SECRET by --token or MIGRATE_TOKEN");
  const concurrency = Number(values.concurrency ?? DEFAULT_CONCURRENCY);
  if (!Number.isInteger(concurrency) || concurrency < 1 || concurrency > MAX_CONCURRENCY)
    throw new UsageError(
      `Cannot use --concurrency "${values.concurrency}": it takes a whole number from 1 to ${MAX_CONCURRENCY}`,
    );
  return {
    baseUrl,
    token,
    aliases: (values["also-known-as"] ?? []).map(parseAlias),
    concurrency,
    all: values.all === true,
    overwrite: values.overwrite === true,
    withoutPermissions: values["without-permissions"] === true,
  };
}

function parseAlias(given: string): string {
  const url = serverUrlOf(given);
  if (url === undefined)
    throw new UsageError(`Cannot use --also-known-as "${given}": it must begin with http:// or https://`);
  return url;
}

function parse(args: readonly string[]) {
  const text = { type: "string" } as const;
  const flag = { type: "boolean" } as const;
  const options = {
    "base-url": text,
    token: text,
    "also-known-as": { ...text, multiple: true },
    concurrency: text,
    all: flag,
    overwrite: flag,
    "without-permissions": flag,
  } as const;
  try {
    return parseArgs({ args: [...args], options, strict: true });
  } catch (cause) {
    throw new UsageError(`${cause instanceof Error ? cause.message : String(cause)}\nUsage: migrate-from ${USAGE}`, {
      cause,
    });
  }
}

async function migrate(parsed: MigrateArguments, context: AnyContext, listener: ProgressListener): Promise<Report> {
  const { baseUrl, token } = parsed;
  const db = overAll(context.db);
  const client = new ApiClient({ baseUrl, token, sleep: Bun.sleep, say: (line) => listener.say(line) });
  const source = new Source({ client, baseUrl, aliases: parsed.aliases, fetch: context.fetch });
  const { bases, declared, version, instance } = await source.facts();
  await requireOtherServer(db, instance);
  if (!parsed.withoutPermissions) await requirePermissions(source);
  const state = await MigrationState.open(db, baseUrl);
  const targets = new TargetMap();
  listener.say(
    `${state.resumed ? "Resuming the copy of" : "Copying"} "${baseUrl}" ${version}; links will begin with "${context.baseUrl}"`,
  );
  const run: MigrateContext = {
    db,
    perform: context.perform,
    validate: context.validate,
    contracts: context.contracts,
    keeper(plugin) {
      const keeper = context.slot("file_keeper").find((one) => one.plugin === plugin);
      if (!keeper) throw new Error(`Cannot store a file: the plugin "${plugin}" is not installed`);
      return keeper;
    },
    pictureKeeper: () => context.slot("picture_keeper")[0],
    permissions: new Set(context.slot("permission")),
    rolesByName: await rolesByName(db),
    source,
    state,
    marks: new Marks({ db, options: parsed, source, state, targets }, declared),
    targets,
    addresses: new AddressRewriter(targets, bases, context.baseUrl),
    report: new Report(),
    options: parsed,
    listener,
  };
  await copyAll(run);
  run.report.remark(
    "Not copied, as no API provides them: earlier revisions, the recycle bin, settings, webhooks, favourites and watched items.",
  );
  return run.report;
}

/** Throws UsageError where the source is this instance, whose content would be duplicated. */
async function requireOtherServer(db: Db, instance: string): Promise<void> {
  const own = await db
    .selectFrom("instance")
    .select("id")
    .where(({ cast, eb }) => eb(cast<string>("id", "text"), "=", instance))
    .executeTakeFirst();
  if (own) throw new UsageError("Cannot copy this server into itself: --base-url leads here");
}

/** Throws UsageError where the token may not read content permissions, without which hidden content would be visible here. */
async function requirePermissions(source: Source): Promise<void> {
  for (const [kind, segment] of [
    ["book", "books"],
    ["bookshelf", "shelves"],
  ] as const) {
    const id = await source.first(segment);
    if (id === undefined) continue;
    if (await source.optional(`/api/content-permissions/${kind}/${id}`)) return;
    throw new UsageError(
      "Cannot copy: the token may not read content permissions, so that hidden content would be visible here; " +
        "give the token of an administrator, or --without-permissions",
    );
  }
}

async function rolesByName(db: Db): Promise<Map<string, number>> {
  const roles = await db.selectFrom("roles").select(["id", "display_name"]).orderBy("id", "desc").execute();
  return new Map(roles.map(({ id, display_name }) => [display_name.toLowerCase(), id]));
}
