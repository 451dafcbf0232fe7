/**
 * The command `migrate-from` as the command line knows it: reads arguments and environment, looks who the source is and
 * whether the token may read enough of it, runs, shows progress and ends with a report. The token is never printed. It
 * works beside a running server, over the same store.
 */
import { parseArgs } from "node:util";
import { AnswerError, ApiClient, type Command, type CommandIo, Progress, serverUrlOf } from "lectern/cli";
import { type AnyContext, sql } from "lectern/core";
import { type Db, rows } from "lectern/db";
import { Addresses } from "./addresses.ts";
import { Places } from "./places.ts";
import { Report } from "./report.ts";
import { copyAll } from "./run.ts";
import type { Choices, Listener, Run } from "./run_parts.ts";
import { Source } from "./source.ts";
import { State } from "./state.ts";
import { idIn } from "./values.ts";

const DEFAULT_CONCURRENCY = 4;
const MAX_CONCURRENCY = 16;
const USAGE =
  "--base-url URL --token ID:SECRET [--also-known-as URL …] [--concurrency 4] [--overwrite] [--without-permissions]";

/** Why a run cannot begin; the message is for the person at the command line. */
class UsageError extends Error {}

/** What was asked for. */
interface Asked extends Choices {
  readonly baseUrl: string;
  readonly token: string;
  /** Further addresses of the source that links in its content may begin with. */
  readonly aliases: readonly string[];
}

/** `migrate-from`: copies another server into this one. Exit code 1: something failed or differs; 2: wrong call. */
export const migrateFrom: Command = {
  summary: "copies a whole BookStack, or another server of this API, into this one",
  usage: USAGE,
  store: true,
  async run(args, io, context) {
    const progress = new Progress(io);
    const began = performance.now();
    try {
      if (!context) throw new UsageError("Cannot run without a store");
      const report = await copy(readArguments(args, io.env), context, progress);
      progress.clear();
      for (const line of report.lines((performance.now() - began) / 1000)) io.out(line);
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
  if (status === 401) return "; check --token or MIGRATE_TOKEN, which is wanted as ID:SECRET";
  return status === 403 ? "; the user of the token needs the permission to use the API" : "";
}

function readArguments(args: readonly string[], env: CommandIo["env"]): Asked {
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
    aliases: (values["also-known-as"] ?? []).map(aliasOf),
    concurrency,
    overwrite: values.overwrite === true,
    withoutPermissions: values["without-permissions"] === true,
  };
}

function aliasOf(given: string): string {
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

async function copy(asked: Asked, context: AnyContext, listener: Listener): Promise<Report> {
  const { baseUrl, token } = asked;
  const db = context.db as unknown as Db;
  const client = new ApiClient({ baseUrl, token, sleep: Bun.sleep, say: (line) => listener.say(line) });
  const source = new Source({ client, baseUrl, aliases: asked.aliases, fetch: context.fetch });
  const { bases, version, instance } = await source.facts();
  await needAnotherServer(db, instance);
  if (!asked.withoutPermissions) await needPermissions(source);
  const state = await State.open(db, baseUrl);
  const places = new Places();
  listener.say(
    `${state.resumed ? "Going on with copying" : "Copying"} "${baseUrl}" ${version}; links will begin with "${context.baseUrl}"`,
  );
  const run: Run = {
    db,
    perform: context.perform,
    validate: context.validate,
    contracts: context.contracts,
    keeper(plugin) {
      const keeper = context.slot("file_keeper").find((one) => one.plugin === plugin);
      if (!keeper) throw new Error(`Cannot keep a file: no plugin "${plugin}" is installed that would`);
      return keeper;
    },
    pictureKeeper: () => context.slot("picture_keeper")[0],
    permissions: new Set(context.slot("permission")),
    rolesByName: await rolesByName(db),
    source,
    state,
    places,
    addresses: new Addresses(places, bases, context.baseUrl),
    report: new Report(),
    choices: asked,
    listener,
  };
  await copyAll(run);
  run.report.remark(
    "What no API gives stays behind: earlier revisions, the recycle bin, settings, webhooks, favourites and watched items.",
  );
  return run.report;
}

/** A server copied into itself would be there twice. Throws UsageError. */
async function needAnotherServer(db: Db, instance: string): Promise<void> {
  const own = await rows(db, sql`select from instance where id::text = ${instance}`);
  if (own.length > 0) throw new UsageError("Cannot copy this server into itself: --base-url leads here");
}

/** What is hidden there must be hidden here, so a token that cannot read who may see what is refused. */
async function needPermissions(source: Source): Promise<void> {
  for (const [kind, segment] of [
    ["book", "books"],
    ["bookshelf", "shelves"],
  ] as const) {
    const id = await source.first(segment);
    if (id === undefined) continue;
    if (await source.optional(`/api/content-permissions/${kind}/${id}`)) return;
    throw new UsageError(
      "Cannot copy: the token may not read content permissions, so what is hidden there would be seen here; " +
        "give the token of an administrator, or --without-permissions",
    );
  }
}

async function rolesByName(db: Db): Promise<Map<string, number>> {
  const roles = await rows<{ id: number; display_name: string }>(
    db,
    sql`select id, display_name from roles order by id desc`,
  );
  return new Map(roles.map((role) => [role.display_name.toLowerCase(), idIn(role) ?? 0]));
}
