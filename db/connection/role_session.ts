import type { CompiledQuery, DatabaseConnection, QueryResult } from "kysely";
import type { EnforcedRole } from "./enforced_role.ts";
import type { Session } from "./session.ts";

/** The sessions behind those of roles; a plugin that gets hold of its connection cannot reach the other. */
export const SESSIONS = new WeakMap<DatabaseConnection, Session>();

/** A session whose statements run as a role; without one with the rights of the account. */
export class RoleSession implements DatabaseConnection {
  readonly #session: Session;
  readonly #role: EnforcedRole | undefined;

  constructor(session: Session, role: EnforcedRole | undefined) {
    this.#session = session;
    this.#role = role;
    SESSIONS.set(this, session);
  }

  executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    return this.#role ? this.#session.executeAs(query, this.#role) : this.#session.executeQuery(query);
  }

  write(query: CompiledQuery): Promise<void> {
    return this.#session.write(query, this.#role);
  }

  streamQuery<Row>(query: CompiledQuery, chunkSize: number): AsyncIterableIterator<QueryResult<Row>> {
    return this.#session.streamAs(query, chunkSize, this.#role);
  }
}
