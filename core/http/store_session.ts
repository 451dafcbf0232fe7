/** The sessions of requests in the store, by which reads from replicas know whose reads and writes they are. */
import { type AwayReads, StoreSession } from "../../db/mod.ts";
import { currentState, type RequestState } from "./request_context.ts";

/**
 * Begins the session of a request whose user is known. What precedes it, such as authentication, is read from the primary and
 * is no write of the user. All readers wait for changes by guests: one who registers or signs in reads as another user next.
 */
export function beginStoreSession({ method }: Request, state: RequestState): void {
  const { id, via } = state.viewer;
  const mayUseReplica = method === "GET";
  state.store = new StoreSession({ user: id, mayUseReplica, writesForAll: via === "guest" && !mayUseReplica });
}

/** The session of the current request; undefined outside of one. */
export function currentStoreSession(): StoreSession | undefined {
  return currentState()?.store;
}

/** Has replicas answer the reads of a request that only reads while the database is away, from those that find its user on. */
export function beginAwayReads({ method }: Request, state: RequestState): void {
  if (method === "GET" || method === "HEAD") state.awayReads = { replica: undefined };
}

/** The reads of the current request that replicas may answer while the database is away; undefined where they may not. */
export function currentAwayReads(): AwayReads | undefined {
  return currentState()?.awayReads;
}
