/** Which statements a replica may run, and which of its failures the primary is asked about. */
import { ConnectionLost, GrantError, QUERY_CANCELED, StatementRefused, StoreUnavailable } from "../query/errors.ts";
import { codeOf } from "../query/unknown_values.ts";

/** What begins a statement that may only read. */
const READ = /^\s*(?:select|with|values)\b/i;
/**
 * What changes something, locks, or means the server it runs on. A word of these in a name or a text sends the statement to the
 * primary, which is always right; what is missing here is refused by the replica and repeated on the primary.
 */
const FOR_PRIMARY =
  /\b(?:insert|update|delete|merge|for\s+share|for\s+key\s+share|nextval|setval|pg_notify|set_config|pg_current_\w+|txid_current|(?:pg_)?(?:try_)?advisory\w*|pg_(?:try_)?advisory\w*|pg_cancel_backend|pg_stat_\w*|pg_statio_\w*|pg_locks)\b|;\s*\S/i;

const MAX_KNOWN = 5_000;
const KNOWN = new Map<string, boolean>();

/** SQLSTATE of a statement that a replica refuses since it writes. */
const READ_ONLY = "25006";
/** Classes of errors that the same statement has on the primary: data, constraints, rights, syntax. */
const SAME_ON_PRIMARY = /^(?:21...|22...|23...|42501|42601)$/;

/** Whether a statement only reads, as far as its text shows. */
export function isRead(text: string): boolean {
  const known = KNOWN.get(text);
  if (known !== undefined) return known;
  return keep(text, READ.test(text) && !FOR_PRIMARY.test(text));
}

/** What is asked about a failure of a replica. */
export interface ReplicaFailure {
  readonly text: string;
  readonly error: unknown;
  /** Milliseconds that the statement took, and its limit; 0 for none. */
  readonly ms: number;
  readonly limitMs: number;
  /** Whether the client has left. */
  readonly isAborted: boolean;
  /** Whether the replica was still in use at the end. */
  readonly isOpen: boolean;
}

/**
 * Whether the primary may answer what a replica did not: it is lost, replays what the statement reads (conflicts with recovery:
 * 40001, 40P01, 57014), refuses a write, or lacks a table still.
 */
export function isForPrimary({ text, error, ms, limitMs, isAborted, isOpen }: ReplicaFailure): boolean {
  if (isAborted) return false;
  if (error instanceof ConnectionLost) return true;
  if (error instanceof StoreUnavailable) return !isOpen;
  if (error instanceof GrantError || error instanceof StatementRefused) return false;
  const code = codeOf(error);
  if (code === READ_ONLY) keep(text, false);
  if (code === QUERY_CANCELED) return limitMs === 0 || ms < limitMs;
  return /^[0-9A-Z]{5}$/.test(code) && !SAME_ON_PRIMARY.test(code);
}

function keep(text: string, isReading: boolean): boolean {
  if (KNOWN.size >= MAX_KNOWN) KNOWN.clear();
  KNOWN.set(text, isReading);
  return isReading;
}
