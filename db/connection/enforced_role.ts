/** Statements as the role of a plugin, as connections send them; `grants/enforcement.ts` makes them. */
import type { Description, SentStatement, StatementResult } from "./connection_types.ts";

/** Sends statements over a connection or a pool; `carried` is the statement of a role that the text is the call for. */
export interface Sender {
  send(text: string, parameters: readonly unknown[], carried?: SentStatement): Promise<StatementResult>;
  describe(text: string): Promise<Description>;
}

/** A statement as it is sent, and how its answer is read. */
export interface Outgoing {
  readonly text: string;
  readonly parameters: readonly unknown[];
  /** The statement that the text carries. */
  readonly carried: SentStatement;
  /** The rows, and for a write how many it affected. */
  read(result: StatementResult): { readonly rows: unknown[]; readonly affected: bigint | undefined };
  /** Whether an error says that the tables have changed since the statement was described. */
  isStale(error: unknown): boolean;
  /** The error for the caller: GrantError for a missing right. */
  errorOf(error: unknown): unknown;
}

/** Statements as the role of one plugin. */
export interface EnforcedRole {
  /** Prepares a statement for sending; a promise where it has to be described. Throws StatementRefused. */
  outgoing(sender: Sender, text: string, parameters: readonly unknown[]): Outgoing | Promise<Outgoing>;
  /** Describes a statement. Throws StatementRefused. */
  describe(sender: Sender, text: string): Promise<Description>;
}
