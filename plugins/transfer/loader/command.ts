/**
 * The command `load`: reads arguments and environment and validates them before sending anything, shows progress (a bar on
 * a terminal, periodic lines elsewhere) and prints a report. The token is never printed. `load.ts` does the work, `plan.ts`
 * maps files to items.
 */
import { parseArgs } from "node:util";
import { AnswerError, type Command, type CommandIo, Progress, serverUrlOf } from "lectern/cli";
import { LoadError } from "./errors.ts";
import { type LoadOptions, load as loadFolder } from "./load.ts";
import { planFolder } from "./plan.ts";
import { isClean, linesOfReport } from "./report.ts";

/** The default number of concurrent requests. */
export const DEFAULT_CONCURRENCY = 4;
/** The limit of concurrent requests, so that a load does not overload a server. */
export const MAX_CONCURRENCY = 16;

const USAGE =
  "FOLDER --base-url URL --token ID:SECRET [--shelf NAME] [--limit N] [--concurrency 4] [--state FILE] [--dry-run]";

/** `load`: uploads a folder of Markdown to a server, over HTTP only. Exit code 1: something failed; 2: invalid arguments. */
export const load: Command = {
  summary: "loads a folder of Markdown into a server of this API",
  usage: USAGE,
  store: false,
  run,
};

async function run(args: string[], io: CommandIo): Promise<number> {
  const progress = new Progress(io);
  try {
    const { dryRun, ...options } = readArguments(args, io.env);
    if (dryRun) return await printPlan(options, io);
    const report = await loadFolder(options, progress);
    progress.clear();
    for (const line of linesOfReport(report)) io.out(line);
    return isClean(report) ? 0 : 1;
  } catch (error) {
    if (!(error instanceof LoadError || error instanceof AnswerError)) throw error;
    progress.say(error instanceof AnswerError ? `Cannot load: ${error.message}${hintOf(error)}` : error.message, "err");
    return error instanceof LoadError ? 2 : 1;
  }
}

function hintOf({ status }: AnswerError): string {
  if (status === 401) return "; check --token or LECTERN_TOKEN, which has the form ID:SECRET";
  return status === 403 ? "; the user of the token needs the permission to use the API" : "";
}

/** Parses arguments and environment. Throws LoadError with what is missing or invalid, never with the token. */
export function readArguments(args: readonly string[], env: CommandIo["env"]): LoadOptions & { dryRun: boolean } {
  const { values, positionals } = parse(args);
  const [folder, ...more] = positionals;
  if (folder === undefined || more.length > 0) throw new LoadError(`Name one folder to load: load ${USAGE}`);
  const dryRun = values["dry-run"] === true;
  const baseUrl = values["base-url"] ?? env.LECTERN_URL;
  const token = values.token ?? env.LECTERN_TOKEN;
  if (baseUrl === undefined && !dryRun)
    throw new LoadError("Give the address of the server by --base-url or LECTERN_URL");
  if (!dryRun && !/^[!-9;-~]+:[!-~]+$/.test(token ?? ""))
    throw new LoadError("Give a token as ID:SECRET by --token or LECTERN_TOKEN");
  return {
    folder,
    dryRun,
    token: token ?? "",
    baseUrl: baseUrl === undefined ? "" : parseUrl(baseUrl),
    shelf: values.shelf,
    stateFile: values.state,
    limit: wholeNumber("limit", values.limit, Number.MAX_SAFE_INTEGER),
    concurrency: wholeNumber("concurrency", values.concurrency, MAX_CONCURRENCY) ?? DEFAULT_CONCURRENCY,
  };
}

function parseUrl(given: string): string {
  const url = serverUrlOf(given);
  if (url === undefined)
    throw new LoadError(`Cannot use the base URL "${given}": it must begin with http:// or https://`);
  return url;
}

function parse(args: readonly string[]) {
  const text = { type: "string" } as const;
  const options = {
    "base-url": text,
    token: text,
    shelf: text,
    limit: text,
    concurrency: text,
    state: text,
    "dry-run": { type: "boolean" },
  } as const;
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true, strict: true });
  } catch (cause) {
    throw new LoadError(`${cause instanceof Error ? cause.message : String(cause)}\nUsage: load ${USAGE}`, { cause });
  }
}

function wholeNumber(name: string, text: string | undefined, max: number): number | undefined {
  if (text === undefined) return undefined;
  const number = Number(text);
  if (Number.isInteger(number) && number >= 1 && number <= max) return number;
  throw new LoadError(
    `Cannot use --${name} "${text}": it takes a whole number from 1${max < 1000 ? ` to ${max}` : " up"}`,
  );
}

async function printPlan({ folder, limit }: LoadOptions, io: CommandIo): Promise<number> {
  const { books, chapters, pages, notes } = await planFolder(folder, limit);
  for (const { path, name } of books) {
    io.out(`book     ${name}`);
    const own = pages.filter(({ book }) => book === path);
    for (const page of own.filter(({ chapter }) => chapter === undefined))
      io.out(`page       ${page.name}  <- ${page.path}`);
    for (const chapter of chapters.filter(({ book }) => book === path)) {
      io.out(`chapter    ${chapter.name}`);
      for (const page of own.filter(({ chapter: of }) => of === chapter.path))
        io.out(`page         ${page.name}  <- ${page.path}`);
    }
  }
  for (const note of notes) io.err(note);
  io.out(`${books.length} books, ${chapters.length} chapters, ${pages.length} pages; nothing was sent`);
  return 0;
}
