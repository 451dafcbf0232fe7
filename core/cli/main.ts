/**
 * The command line: `serve`, `dev`, `migrate`, `plan`, `check`, `grants`, and the commands of plugins. Lists of plugins are
 * arguments or the "lectern" block of package.json.
 */
import { StoreError } from "../../db/mod.ts";
import packaged from "../../package.json" with { type: "json" };
import { BootError } from "../errors.ts";
import type { CommandIo } from "../runtime/command.ts";
import { closestMatch } from "../std/closest_match.ts";
import { commandNames, findBuiltInCommand, findCommand, findStandaloneCommand, usage } from "./commands.ts";
import { withEnvFile } from "./env_file.ts";
import { withExtensions } from "./extend_plugins.ts";
import { requestsHelp } from "./help.ts";
import { loadPlugins } from "./load.ts";

/** How long a server that has stopped waits for what plugins left behind. */
const EXIT_MS = 1_000;

/** Runs the command that the arguments of this process name, and sets its exit code. */
export async function runProgram(): Promise<void> {
  for (const stream of [process.stdout, process.stderr]) ignoreClosedPipe(stream);
  const io: CommandIo = {
    out: (line) => void process.stdout.write(`${line}\n`),
    err: (line) => void process.stderr.write(`${line}\n`),
    env: process.env,
    columns: process.stdout.columns ?? 80,
    tty: process.stdout.isTTY === true,
  };
  let name: string | undefined;
  try {
    const [first, ...args] = withEnvFile(process.argv.slice(2));
    name = first;
    if (name === "--version" || name === "-v") return io.out(packaged.version);
    const builtIn = requestsHelp(args) ? findBuiltInCommand(name) : undefined;
    if (builtIn) io.out(builtIn.help(args));
    else process.exitCode = await (findStandaloneCommand(name)?.run(args, io) ?? withPlugins(name, args, io));
  } catch (error) {
    if (!(error instanceof BootError || error instanceof StoreError)) throw error;
    io.err(error.message);
    process.exitCode = 1;
  }
  // Timers and connections that plugins left behind would keep a stopped server running. Other commands may still write to a pipe.
  if (name === "serve" && !requestsHelp(process.argv)) setTimeout(() => process.exit(), EXIT_MS).unref();
}

/** Where the reader of a pipe has ended (`… | head`), what is written further is dropped, and the command ends as it would. */
function ignoreClosedPipe(stream: NodeJS.WriteStream): void {
  if (stream.listenerCount("error") > 0) return;
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });
}

async function withPlugins(name: string | undefined, args: readonly string[], io: CommandIo): Promise<number> {
  const { plugins: listed, rest, choices } = await loadPlugins(args);
  const plugins = await withExtensions(listed, { env: io.env, settings: choices.settings });
  const command = findCommand(name, plugins);
  if (command && requestsHelp(rest)) io.out(command.help(rest));
  else if (command) return command.run(rest, io);
  else if (name === undefined || name === "help" || requestsHelp([name])) io.out(usage(plugins));
  else {
    const near = closestMatch(name, commandNames(plugins));
    io.err(`There is no command "${name}"${near === undefined ? "" : `; did you mean "${near}"?`}\n`);
    io.err(usage(plugins));
    return 2;
  }
  return 0;
}
