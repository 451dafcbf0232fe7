/**
 * Readings that must never hold up the rest: polls that come for ever, and whatever decides whether they may. They have
 * connections of their own, opened when first needed, on which the server itself ends every statement after `ms`; on the
 * pool, one that waits for a lock would keep a connection and all that is pipelined behind it, for as long as the lock lasts.
 * The limit is set by a statement, once for each session, since poolers refuse connections that ask for it.
 */
import type { RawBuilder } from "kysely";
import { Lanes } from "./lanes.ts";
import type { Line } from "./line.ts";
import { flatten } from "./rows.ts";

/** What brief readings are made of; times in milliseconds. */
export interface BriefOptions {
  size: number;
  /** For a statement, and for a connection to be free. */
  ms: number;
  maxAgeMs: number;
  open(): Line;
}

/** Connections on which no statement takes long. */
export class Brief {
  readonly #lanes: Lanes;
  readonly #options: BriefOptions;
  /** Lines whose session knows of the limit. */
  readonly #told = new WeakSet<Line>();

  constructor(options: BriefOptions) {
    this.#options = options;
    this.#lanes = new Lanes({ ...options, waitMs: options.ms, use: ["a brief reading", "these"] });
  }

  /** The rows of a template. Throws PostgresError 57014 where they took too long, StoreError where no connection was free. */
  async rows<Row>(fragment: RawBuilder<Row>): Promise<Row[]> {
    const lane = await this.#lanes.take();
    try {
      const told = this.#told.has(lane) ? undefined : this.#tell(lane);
      const { sql: text, parameters } = flatten(fragment);
      const [result] = await Promise.all([lane.ask(text, parameters), told]);
      return result.slice() as unknown as Row[];
    } finally {
      this.#lanes.give(lane);
    }
  }

  /** Ends all connections, letting what runs finish for `timeoutMs`. */
  end(timeoutMs: number): Promise<void> {
    return this.#lanes.end(timeoutMs);
  }

  async #tell(lane: Line): Promise<void> {
    await lane.send(`set statement_timeout = ${this.#options.ms}`, []);
    this.#told.add(lane);
  }
}
