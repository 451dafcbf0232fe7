import { ApiError } from "../errors.ts";
import type { Command, CommandIo } from "../runtime/command.ts";
import type { AnyContext } from "../runtime/plugin.ts";

/** One subcommand of a plugin's command, such as `create` of `user create`; gets the arguments after its name. */
export type Subcommand = (context: AnyContext, args: string[], io: CommandIo) => Promise<void>;

/**
 * Makes the `run` of a command that has subcommands and needs the store. An unknown subcommand prints `usage` and returns 2;
 * an ApiError, or an error of `parseArgs` of node:util, is printed and returns 1.
 *
 * @example
 * const usage = "list | delete ID";
 * const roleCommand: Command = {
 *   summary: "lists and deletes roles",
 *   usage,
 *   store: true,
 *   run: runSubcommand("role", usage, { list, delete: remove }),
 * };
 */
export function runSubcommand(
  name: string,
  usage: string,
  subcommands: Readonly<Record<string, Subcommand>>,
): Command["run"] {
  return async ([subcommand = "", ...args], io, context) => {
    const run = Object.hasOwn(subcommands, subcommand) ? subcommands[subcommand] : undefined;
    if (!run || !context) {
      io.err(`Cannot run "${name} ${subcommand}": wanted ${usage}`);
      return 2;
    }
    try {
      await run(context, args, io);
      return 0;
    } catch (error) {
      if (!(error instanceof ApiError || isParseError(error))) throw error;
      io.err(`Cannot run "${name} ${subcommand}": ${messageOf(error)}`);
      return 1;
    }
  };
}

function isParseError(error: unknown): error is Error {
  return error instanceof TypeError && "code" in error && String(error.code).startsWith("ERR_PARSE_ARGS");
}

/** The validation errors of an ApiError if it has any, else its message. */
function messageOf(error: Error): string {
  const errors = error instanceof ApiError ? Object.values(error.details.validation ?? {}).flat() : [];
  return errors.length > 0 ? errors.join(" ") : error.message;
}
