/** What commands of plugins are made with: the door "lectern/cli". */
export type { Command, CommandIo } from "../runtime/plugin.ts";
export { AnswerError, ApiClient, type Json, serverUrlOf } from "./api_client.ts";
export { inParallel } from "./parallel.ts";
export { Progress } from "./progress.ts";
