/** Descriptions of the endpoints of the instance. */
export const about = {
  read: "Reads details about the instance. Some values may be null.",
  facts: "Shows versions, the store, waiting jobs and the start time of the server.",
  plugins: "Lists the plugins in boot order with their grants and boot times.",
  faults:
    "Lists parts of plugins that failed and were left out of screens and answers since this process started, the latest first.",
  files:
    "Counts stored files older than a day that no row refers to, and lists the first hundred of them. They are not deleted: " +
    "the command `files sweep` does that.",
  deadJobs: "Lists jobs that failed in all of their attempts.",
  retryJobs: "Retries failed jobs: those with the given ids, or all. Jobs that are queued again already are left out.",
  deleteJobs: "Deletes failed jobs: those with the given ids, or all.",
} as const;
