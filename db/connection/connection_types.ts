/** What a connection takes and gives. */
import type postgres from "postgres";
import type { AnswerDeadlineOptions } from "./deadlines.ts";

/** Options of a connection. */
export interface ConnectionOptions extends AnswerDeadlineOptions {
  /** Whether statements are prepared under a name; poolers in transaction mode may refuse that. */
  readonly prepare: boolean;
  /** Whether a pooler in transaction mode is between this and the server; false by default. */
  readonly isPooled?: boolean;
  /** Opens postgres.js with one connection, which connects at first use. */
  open(onLoss: () => void): DriverConnection;
  /** Called when the connection is lost, and not where it is ended. */
  onLost?(): void;
  /** Who is shown each statement that is sent; nobody by default. */
  observer?(): StatementObserver | undefined;
}

/** A statement as it is sent, without its parameters; `name` is that of a prepared one. */
export interface SentStatement {
  /** As its sender wrote it: for a plugin's role not the call of the role's function, which carries it. */
  readonly text: string;
  readonly name?: string | undefined;
  /** The plugin as whose role it runs. */
  readonly plugin?: string;
}

/** Is shown a statement when it is sent, and its answer, which it must not change. */
export type StatementObserver = (statement: SentStatement, answer: Promise<unknown>) => void;

/** postgres.js, with a function that destroys its socket; by itself it waits for the server to close it. */
export interface DriverConnection {
  readonly sql: postgres.Sql;
  destroy(): void;
  /** Called when the server refused a write since it is read-only. */
  onReadOnly?(): void;
  /** Whether the connection is to a former leader, so that a pool replaces it. */
  isFormer?(): boolean;
}

/** Names and values of settings, such as `{ work_mem: "32MB" }`. */
export type SessionSettings = Readonly<Record<string, string>>;

/** The server process of a running statement. Behind a pooler it is that of the transaction which began at `since`. */
export interface ServerProcess {
  readonly pid: number;
  readonly since?: string;
}

/** The rows of a statement, with its command and count. */
export type StatementResult = postgres.RowList<postgres.Row[]>;

/** What the server says about a statement without running it. */
export interface Description {
  /** The types of its parameters, by oid of pg_type. */
  readonly types: readonly number[];
  /** Its columns; none for a statement that returns no rows. */
  readonly columns: readonly { readonly name: string; readonly type: number }[];
  /** A value as the driver sends it for a type. */
  serialize(type: number, value: unknown): string;
}
