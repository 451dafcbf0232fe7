/** What plugins write commands with: the entry point "lectern/cli". */

export type { Command, CommandIo } from "../runtime/command.ts";
export { programName } from "../runtime/program_name.ts";
export { AnswerError, ApiClient, type Json, serverUrlOf } from "./api_client.ts";
export { inParallel } from "./parallel.ts";
export { Progress } from "./progress.ts";
export { type RunningCommand, runCommand } from "./run_command.ts";
export { runSubcommand, type Subcommand } from "./subcommands.ts";
