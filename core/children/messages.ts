import type { ErrorDetails } from "../errors.ts";

/** Asks the server for something while a task runs, by the name under which `run` was given a function for it. */
export type CallServer = (name: string, value: unknown) => Promise<unknown>;

/**
 * A task of a child process: plain data in, plain data out. A module exports its tasks by name as `tasks`. An ApiError it
 * throws is thrown on the other side.
 */
export type ChildTask = (input: never, call: CallServer) => unknown;

/** What the server sends to a child. */
export type ToChild =
  | { readonly module: string; readonly task: string; readonly input: unknown }
  | { readonly answer: number; readonly value?: unknown; readonly error?: string };

/** What a child sends to the server. */
export type FromChild =
  | { readonly ready: true }
  | { readonly done: unknown }
  | {
      readonly refused: { readonly status: number; readonly message: string; readonly details: ErrorDetails };
    }
  | { readonly failed: string }
  | { readonly call: number; readonly name: string; readonly value: unknown };
