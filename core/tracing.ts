/**
 * Spans of a runtime: requests, their statements, jobs, schedules and calls to other servers. Core knows no protocol: a plugin
 * records them (the contract `traces`). Without one nothing is measured: each place costs a comparison. Which span is
 * the current one is kept in an AsyncLocalStorage, so that a statement is a child of the request that sends it.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import type { StatementObserver } from "../db/mod.ts";
import { BootError } from "./errors.ts";

/** Facts of a span. They hold no parameters, bodies, paths with names in them, or secrets. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** The header that continues a trace in another process, as W3C Trace Context defines it. */
export interface TraceHeaders {
  readonly traceparent?: string;
}

/** A span that begins. */
export interface SpanStart {
  readonly name: string;
  readonly kind: "server" | "client" | "consumer" | "internal";
  readonly attributes?: SpanAttributes;
  /** The span of another process or of an earlier time, or "none" for a new trace; the current span by default. */
  readonly parent?: TraceHeaders | "none";
}

/** A span that has begun. */
export interface OpenSpan {
  /** Adds facts; `name` replaces the name. */
  describe(attributes: SpanAttributes, name?: string): void;
  /** Ends the span, as failed where there is an error. */
  end(error?: unknown): void;
  /** What other processes get, to continue the trace. */
  headers(): TraceHeaders;
}

/** Records spans; called for each, so it has to be quick. */
export interface TraceRecorder {
  /** Begins a span within another one of this recorder, if there is one. */
  start(span: SpanStart, within: OpenSpan | undefined): OpenSpan;
}

const MAX_TEXT = 2_000;
const NO_HEADERS: TraceHeaders = Object.freeze({});

/** The spans of one runtime. */
export class Tracing {
  readonly #current = new AsyncLocalStorage<OpenSpan>();
  #recorder: TraceRecorder | undefined;

  /** Whether spans are recorded. */
  get isOn(): boolean {
    return this.#recorder !== undefined;
  }

  /** Sets the recorder. Throws BootError for a second one. */
  recordBy(recorder: TraceRecorder): void {
    if (this.#recorder) throw new BootError("Cannot record traces twice: another plugin does already");
    this.#recorder = recorder;
  }

  /** Runs something within a span, which ends with it; without a recorder it is run as it is. Throws what it throws. */
  run<R>(span: SpanStart, run: (span: OpenSpan | undefined) => Promise<R>): Promise<R> {
    return this.#recorder ? this.#within(this.#begin(this.#recorder, span), run) : run(undefined);
  }

  /** The headers that continue the current span in another process; none outside of one. */
  headers(): TraceHeaders {
    return this.#current.getStore()?.headers() ?? NO_HEADERS;
  }

  /** Records the statements that are sent within a span: their name or verb, and their text without parameters. */
  readonly observeStatement: StatementObserver = ({ text, name: known }, answer) => {
    const within = this.#current.getStore();
    if (!this.#recorder || !within) return;
    const name = known ?? /^\s*\w+/.exec(text)?.[0].trim().toLowerCase() ?? "statement";
    const attributes = {
      "db.system.name": "postgresql",
      "db.operation.name": name,
      "db.query.text": text.slice(0, MAX_TEXT),
    };
    const span = this.#recorder.start({ name, kind: "client", attributes }, within);
    answer.then(
      () => span.end(),
      (error: unknown) => span.end(error),
    );
  };

  #begin(recorder: TraceRecorder, span: SpanStart): OpenSpan {
    return recorder.start(span, span.parent === undefined ? this.#current.getStore() : undefined);
  }

  async #within<R>(span: OpenSpan, run: (span: OpenSpan) => Promise<R>): Promise<R> {
    try {
      const result = await this.#current.run(span, () => run(span));
      span.end();
      return result;
    } catch (error) {
      span.end(error);
      throw error;
    }
  }
}
