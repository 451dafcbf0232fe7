/** What commands of plugins are made with: the door "lectern/cli". */

export { AnswerError, ApiClient, type Json, serverUrlOf } from "./api_client.ts";
export type { Command, CommandIo } from "./command.ts";
export { inParallel } from "./parallel.ts";
export { Progress } from "./progress.ts";
