/** What plugins write commands with: the entry point "lectern/cli". */
export { AnswerError, ApiClient, type Json, serverUrlOf } from "./api_client.ts";
export type { Command, CommandIo } from "./command.ts";
export { inParallel } from "./parallel.ts";
export { programName } from "./program_name.ts";
export { Progress } from "./progress.ts";
export { type RunningCommand, runCommand } from "./run_command.ts";
export { runSubcommand, type Subcommand } from "./subcommands.ts";
