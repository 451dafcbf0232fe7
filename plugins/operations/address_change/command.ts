/** The command `app-url`: replaces a former address of this instance in everything that is stored. */
import { parseArgs } from "node:util";
import type { Command, CommandIo } from "lectern/cli";
import { type Batch, batchesOf, countRows, logChange } from "./changes.ts";
import type { AddressContext } from "./contract.ts";
import { type Addresses, hasTable, type TextTable, textTables } from "./texts.ts";

const USAGE = "OLD NEW [--dry-run]";

/** `app-url`. Exit code 2: invalid arguments. */
export const appUrlCommand: Command = {
  summary: "replaces a former address of this instance in texts, revisions, drafts, comments and descriptions",
  usage: USAGE,
  store: true,
  looks: (args) => args.includes("--dry-run"),
  async run(args, io, context) {
    const wanted = readArgs(args);
    if (typeof wanted === "string" || !context) {
      io.err(`Cannot run "app-url": ${typeof wanted === "string" ? wanted : "there is no store"}`);
      return 2;
    }
    // A command gets its plugin's context without the types of its tables.
    await replaceAll(context as unknown as AddressContext, wanted, io);
    return 0;
  },
};

interface Wanted extends Addresses {
  readonly isDryRun: boolean;
}

/** The parsed arguments, or what is wrong with them. */
function readArgs(args: string[]): Wanted | string {
  let parsed: ReturnType<typeof parse>;
  try {
    parsed = parse(args);
  } catch (error) {
    return `${error instanceof Error ? error.message : String(error)}; wanted ${USAGE}`;
  }
  const { values, positionals } = parsed;
  const [old, replaced] = positionals.map(addressIn);
  if (positionals.length !== 2) return `wanted ${USAGE}`;
  const odd = positionals.find((given) => addressIn(given) === undefined);
  if (old === undefined || replaced === undefined)
    return `"${odd}" is no address: wanted http:// or https:// with a host, and at most a path`;
  if (old === replaced) return "the two addresses are the same";
  return { old, new: replaced, isDryRun: values["dry-run"] === true };
}

function parse(args: string[]) {
  return parseArgs({ args, allowPositionals: true, options: { "dry-run": { type: "boolean" } } });
}

/** An address without its final slash; undefined for other texts. It is not normalized, as texts have it as it was given. */
function addressIn(given: string): string | undefined {
  const address = given.replace(/\/{1,9}$/, "");
  return /^https?:\/\/[^\s/?#"'<>\\@]+(?:\/[^\s?#"'<>\\]*)?$/.test(address) && URL.canParse(address)
    ? address
    : undefined;
}

async function replaceAll(context: AddressContext, wanted: Wanted, io: CommandIo): Promise<void> {
  const total = wanted.isDryRun ? await countAll(context, wanted, io) : await changeAll(context, wanted, io);
  if (wanted.isDryRun) io.out(`${total} in all; nothing was changed`);
  else io.out(`${total} in all changed from "${wanted.old}" to "${wanted.new}"`);
  if (wanted.new !== context.baseUrl)
    io.err(`APP_URL is "${context.baseUrl}" here: set it to "${wanted.new}" where that is the address from now on`);
}

async function countAll(context: AddressContext, addresses: Addresses, io: CommandIo): Promise<number> {
  let total = 0;
  for (const table of await textTables(context)) total += print(table, await countRows(context, table, addresses), io);
  return total;
}

/** A batch runs once the next one is found: the last one leaves the row of the audit log, so that a run that ends before has rows left. */
async function changeAll(context: AddressContext, addresses: Addresses, io: CommandIo): Promise<number> {
  let total = 0;
  let held: Batch | undefined;
  for (const table of await textTables(context)) {
    let count = 0;
    for await (const batch of batchesOf(context, table, addresses)) {
      await held?.run(async () => {});
      held = batch;
      count += batch.count;
    }
    total += print(table, count, io);
  }
  const isLogged = await hasTable(context.db, "activities");
  await held?.run(async (tx) => {
    if (isLogged) await logChange(tx, addresses);
  });
  return total;
}

function print({ label }: TextTable, count: number, io: CommandIo): number {
  io.out(`${label.padEnd(12)} ${count}`);
  return count;
}
