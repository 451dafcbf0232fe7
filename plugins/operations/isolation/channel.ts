/**
 * Calls in both directions over the messages of an isolated process. Either side numbers its own calls; an answer names the
 * number. A call of the child may name the call of the server within which it is made (`within`), whose viewer and transaction
 * it then uses. Messages of an unknown form, and answers that nobody awaits, are errors of the protocol.
 */
import { ApiError, ProtocolError } from "lectern/core";

/** An error as it is sent. */
export interface SentError {
  readonly message: string;
  /** The status of an ApiError. */
  readonly status?: number;
  readonly validation?: Readonly<Record<string, readonly string[]>>;
  /** The SQLSTATE of an error of the store. */
  readonly code?: string;
}

/** A call as it is sent. */
export interface SentCall {
  readonly call: number;
  readonly name: string;
  readonly value: unknown;
  readonly within?: number;
}

type Answer = { readonly answer: number; readonly value?: unknown; readonly error?: SentError };

/** Answers a call of the other side. */
export type AnswerCall = (call: SentCall) => unknown;

const STATUS = { least: 400, greatest: 599 } as const;
const MAX_MESSAGE = 2_000;

/** One side of the channel. */
export class Channel {
  readonly #send: (message: SentCall | Answer) => void;
  readonly #answer: AnswerCall;
  readonly #maxAnswering: number;
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>();
  #last = 0;
  #answering = 0;

  /** `maxAnswering`: calls of the other side that may wait for an answer at a time; more are an error of the protocol. */
  constructor(send: (message: SentCall | Answer) => void, answer: AnswerCall, maxAnswering: number) {
    this.#send = send;
    this.#answer = answer;
    this.#maxAnswering = maxAnswering;
  }

  /** Calls the other side. `numbered` gets the number of the call before it is sent. */
  async call(
    name: string,
    value: unknown,
    { within, numbered }: { readonly within?: number | undefined; readonly numbered?: (call: number) => void } = {},
  ): Promise<unknown> {
    const waiting = Promise.withResolvers<unknown>();
    this.#last += 1;
    const call = this.#last;
    this.#waiting.set(call, waiting);
    numbered?.(call);
    try {
      this.#send({ call, name, value, ...(within !== undefined && { within }) });
    } catch (error) {
      this.#waiting.delete(call);
      throw error;
    }
    return waiting.promise;
  }

  /** Takes a message. Throws ProtocolError. */
  receive(message: unknown): void {
    if (isCall(message)) {
      if (this.#answering >= this.#maxAnswering) throw new ProtocolError("too many calls at once");
      void this.#respond(message);
    } else if (isAnswer(message)) {
      const waiting = this.#waiting.get(message.answer);
      if (!waiting) throw new ProtocolError("an answer that nobody awaits");
      this.#waiting.delete(message.answer);
      if (message.error === undefined) waiting.resolve(message.value);
      else waiting.reject(receivedError(message.error));
    } else throw new ProtocolError("a message that is neither a call nor an answer");
  }

  /** Rejects all calls that wait. */
  close(error: Error): void {
    for (const waiting of this.#waiting.values()) waiting.reject(error);
    this.#waiting.clear();
  }

  async #respond(call: SentCall): Promise<void> {
    this.#answering += 1;
    let answer: Answer;
    try {
      answer = { answer: call.call, value: await this.#answer(call) };
    } catch (error) {
      answer = { answer: call.call, error: sentError(error) };
    }
    this.#answering -= 1;
    try {
      this.#send(answer);
    } catch (error) {
      this.#send({ answer: call.call, error: sentError(error) });
    }
  }
}

/** An error as it is sent: its message, and its status or SQLSTATE. */
export function sentError(error: unknown): SentError {
  if (error instanceof ApiError) {
    const { validation } = error.details;
    return { message: error.message, status: error.status, ...(validation && { validation }) };
  }
  const message = (error instanceof Error ? error.message : String(error)).slice(0, MAX_MESSAGE);
  const code = (error as { code?: unknown } | null)?.code;
  return { message, ...(typeof code === "string" && { code }) };
}

function receivedError({ message, status, validation, code }: SentError): Error {
  const text = String(message).slice(0, MAX_MESSAGE);
  if (typeof status === "number" && status >= STATUS.least && status <= STATUS.greatest)
    return new ApiError(Math.trunc(status), text, isValidation(validation) ? { validation } : {});
  return Object.assign(new Error(text), typeof code === "string" && { code });
}

function isValidation(value: unknown): value is Record<string, string[]> {
  return (
    isRecord(value) &&
    Object.values(value).every((texts) => Array.isArray(texts) && texts.every((text) => typeof text === "string"))
  );
}

function isCall(message: unknown): message is SentCall {
  return (
    isRecord(message) &&
    Number.isSafeInteger(message.call) &&
    typeof message.name === "string" &&
    (message.within === undefined || Number.isSafeInteger(message.within))
  );
}

function isAnswer(message: unknown): message is Answer {
  return (
    isRecord(message) &&
    Number.isSafeInteger(message.answer) &&
    (message.error === undefined || (isRecord(message.error) && typeof message.error.message === "string"))
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
