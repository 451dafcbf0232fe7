/** Whether an event only tells of another one: rows of the log, and what webhooks are told. Tests of events leave them out. */
export function isDerivedEvent(name: string): boolean {
  return ["activity_log", "webhook_call", "webhook_call_before"].includes(name);
}
