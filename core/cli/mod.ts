/** What plugins write commands with: the entry point "lectern/cli". */

export { baseUrlOf } from "../config.ts";
export { isPartial } from "../files/file_store.ts";
export { isOfStore, MARKER_KEY, type MarkedStores, markerState } from "../files/instance_marker.ts";
export { findOrphans, findUnfinished, ORPHAN_AGE_MS } from "../files/orphan_sweep.ts";
export { digestOf, recordFile, recordsOf } from "../files/recorded_files.ts";
export type { Command, CommandIo } from "../runtime/command.ts";
export type { Instance, OpenedPlace } from "../runtime/instance.ts";
export { programName } from "../runtime/program_name.ts";
export { withCore } from "../runtime/with_core.ts";
export { AnswerError, ApiClient, type Json, serverUrlOf } from "./api_client.ts";
export { comparedWith } from "./expected_schema.ts";
export { failureIn } from "./failure_text.ts";
export { misspeltText, misspeltVariables } from "./misspelt_variables.ts";
export { inParallel } from "./parallel.ts";
export { Progress } from "./progress.ts";
export { type RunningCommand, runCommand } from "./run_command.ts";
export { runSubcommand, type Subcommand } from "./subcommands.ts";
