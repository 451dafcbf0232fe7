import type { ErrorDetails } from "../errors.ts";

/** Calls a function in the server during a task, by its name in the option `calls` of `run`. */
export type CallServer = (name: string, value: unknown) => Promise<unknown>;

/**
 * A task of a child process: plain data in and out. A module exports its tasks by name as `tasks`. An ApiError of a task
 * is thrown in the server.
 */
export type ChildTask = (input: never, call: CallServer) => unknown;

/** Messages to a child process. */
export type ToChild =
  | { readonly module: string; readonly task: string; readonly input: unknown }
  | { readonly answer: number; readonly value?: unknown; readonly error?: string };

/** The end of a task. */
type TaskEnd =
  | { readonly done: unknown }
  | {
      readonly refused: { readonly status: number; readonly message: string; readonly details: ErrorDetails };
    }
  | { readonly failed: string };

/** Messages of a child process; `cpuMs` is the processor time that a task took, without loading its module. */
export type FromChild =
  | { readonly ready: true }
  | (TaskEnd & { readonly cpuMs: number })
  | { readonly call: number; readonly name: string; readonly value: unknown };
