/** What plugins write commands with: the entry point "lectern/cli". */

export { isPartial } from "../files/file_store.ts";
export { MARKER_KEY, markerState } from "../files/instance_marker.ts";
export type { Command, CommandIo } from "../runtime/command.ts";
export type { Instance, OpenedPlace } from "../runtime/instance.ts";
export { programName } from "../runtime/program_name.ts";
export { AnswerError, ApiClient, type Json, serverUrlOf } from "./api_client.ts";
export { failureIn } from "./failure_text.ts";
export { inParallel } from "./parallel.ts";
export { Progress } from "./progress.ts";
export { type RunningCommand, runCommand } from "./run_command.ts";
export { runSubcommand, type Subcommand } from "./subcommands.ts";
