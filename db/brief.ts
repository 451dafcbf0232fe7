/**
 * Readings that must never hold up the rest: polls that come for ever, and whatever decides whether they may. They have
 * connections of their own, opened when first needed, on which the server itself ends every statement after `ms`; on the
 * pool, one that waits for a lock would keep a connection and all that is pipelined behind it, for as long as the lock lasts.
 * The limit is set by a statement, once for each session, since poolers refuse connections that ask for it.
 */
import type { RawBuilder } from "kysely";
import type postgres from "postgres";
import { send, type Ways } from "./dialect.ts";
import { type Lane, Lanes } from "./lanes.ts";
import { flatten } from "./rows.ts";

/** What brief readings are made of; times in milliseconds. */
export interface BriefOptions {
  size: number;
  /** For a statement, and for a connection to be free. */
  ms: number;
  maxAgeMs: number;
  prepare: boolean;
  /** Opens postgres.js with one connection. */
  open(onLoss: () => void): postgres.Sql;
}

/** Connections on which no statement takes long. */
export class Brief {
  readonly #lanes: Lanes;
  readonly #options: BriefOptions;
  /** How often a lane had been lost when its session was last told of the limit. */
  readonly #told = new WeakMap<Lane, number>();

  constructor(options: BriefOptions) {
    this.#options = options;
    this.#lanes = new Lanes({ ...options, waitMs: options.ms, use: ["a brief reading", "these"] });
  }

  /** The rows of a template. Throws PostgresError 57014 where they took too long, StoreError where no connection was free. */
  async rows<Row>(fragment: RawBuilder<Row>): Promise<Row[]> {
    const lane = await this.#lanes.take();
    try {
      const told = this.#told.get(lane) === lane.losses ? undefined : this.#tell(lane);
      const { sql: text, parameters } = flatten(fragment);
      const ways: Pick<Ways, "prepare"> = this.#options;
      const [result] = await Promise.all([send(ways, lane.sql, text, parameters), told]);
      return result.slice() as unknown as Row[];
    } finally {
      this.#lanes.give(lane);
    }
  }

  /** Ends all connections, letting what runs finish for `timeoutMs`. */
  end(timeoutMs: number): Promise<void> {
    return this.#lanes.end(timeoutMs);
  }

  async #tell(lane: Lane): Promise<void> {
    const { losses } = lane;
    await lane.sql.unsafe(`set statement_timeout = ${this.#options.ms}`);
    this.#told.set(lane, losses);
  }
}
