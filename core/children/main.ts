/**
 * The entry of a child process (`pool.ts`): `bun core/children/main.ts`. It reads tasks from its standard input one by one,
 * loads the module of the task, and writes the result to its standard output. It ends with its input. A worker thread ends it
 * also during a task, when the server has ended.
 */
import { writeSync } from "node:fs";
import { ApiError } from "../errors.ts";
import { FrameReader, framesOf } from "./frames.ts";
import type { ChildTask, FromChild, ToChild } from "./messages.ts";

const STDOUT = 1;
/** In a millisecond. */
const MICROSECONDS = 1_000;
const WATCHDOG = `const parent = process.ppid;
setInterval(() => process.ppid === parent || process.kill(process.pid, "SIGKILL"), 500);`;

/** Pending calls to the server, by number. */
const calls = new Map<number, PromiseWithResolvers<unknown>>();
let lastCall = 0;

function send(message: FromChild): void {
  for (const frame of framesOf(message)) {
    for (let at = 0; at < frame.length; ) at += writeSync(STDOUT, frame, at);
  }
}

async function call(name: string, value: unknown): Promise<unknown> {
  const waiting = Promise.withResolvers<unknown>();
  lastCall += 1;
  calls.set(lastCall, waiting);
  send({ call: lastCall, name, value });
  return waiting.promise;
}

async function run({ module, task, input }: Extract<ToChild, { readonly task: string }>): Promise<void> {
  let before = process.cpuUsage();
  const cpuMs = () => {
    const { user, system } = process.cpuUsage(before);
    return (user + system) / MICROSECONDS;
  };
  try {
    const { tasks } = (await import(module)) as { tasks: Readonly<Record<string, ChildTask>> };
    const found = tasks[task];
    if (!found) throw new Error(`Cannot run the task "${task}": ${module} has none of this name`);
    before = process.cpuUsage();
    const done = (await found(input as never, call)) ?? null;
    send({ done, cpuMs: cpuMs() });
  } catch (error) {
    if (error instanceof ApiError)
      send({ refused: { status: error.status, message: error.message, details: error.details }, cpuMs: cpuMs() });
    else send({ failed: error instanceof Error ? (error.stack ?? error.message) : String(error), cpuMs: cpuMs() });
  }
}

function receive(message: ToChild): void {
  if ("task" in message) {
    void run(message);
    return;
  }
  const waiting = calls.get(message.answer);
  calls.delete(message.answer);
  if (message.error === undefined) waiting?.resolve(message.value);
  else waiting?.reject(new Error(message.error));
}

const { console: terminal } = globalThis;
// Standard output is for messages: what libraries print goes to standard error.
Object.assign(terminal, { log: terminal.error, info: terminal.error });
new Worker(URL.createObjectURL(new Blob([WATCHDOG])));
const reader = new FrameReader();
send({ ready: true });
for await (const chunk of Bun.stdin.stream()) for (const message of reader.push(chunk)) receive(message as ToChild);
process.exit(0);
