/** Whether an event only follows from another one: rows of the audit log and calls of webhooks. Tests of events leave these out. */
export function isDerivedEvent(name: string): boolean {
  return ["activity_log", "webhook_call", "webhook_call_before"].includes(name);
}
