import { OutgoingError, type OutgoingFetch } from "lectern/core";
import type { WebhookRow } from "./contract.ts";
import { signedHeaders } from "./sign.ts";

/** What came of one call. */
export interface Outcome {
  /** Empty where it was taken. */
  readonly error: string;
  readonly status?: number;
  /** The beginning of the answer, as text. */
  readonly answer: string;
  readonly durationMs: number;
  /** Whether the same call may succeed later. */
  readonly mayRetry: boolean;
}

/** So much of an answer is kept, in bytes; the rest is not read. */
const MAX_ANSWER_BYTES = 4096;
/** Answers after which it is worth asking again (platform 10.4). */
const PASSING = new Set([408, 425, 429]);

/** Makes one call and never throws. Redirects are answers like others, and no good ones. */
export async function call(
  fetch: OutgoingFetch,
  { endpoint, secret, timeout }: Pick<WebhookRow, "endpoint" | "secret" | "timeout">,
  body: string,
  id: string,
): Promise<Outcome> {
  const started = performance.now();
  const headers = signedHeaders(secret, { id, timestamp: Math.floor(Date.now() / 1000), body });
  const since = () => Math.round(performance.now() - started);
  try {
    const signal = AbortSignal.timeout(timeout * 1000);
    const response = await fetch(endpoint, { method: "POST", headers, body, signal });
    const answer = await beginningOf(response);
    const isTaken = response.status >= 200 && response.status < 300;
    return {
      error: isTaken ? "" : `Response status from endpoint was ${response.status}`,
      status: response.status,
      answer,
      durationMs: since(),
      mayRetry: response.status >= 500 || PASSING.has(response.status),
    };
  } catch (error) {
    const isLate = error instanceof Error && error.name === "TimeoutError";
    const text = isLate ? `No answer came within ${timeout} seconds` : String((error as Error).message ?? error);
    return { error: text.slice(0, 1000), answer: "", durationMs: since(), mayRetry: !(error instanceof OutgoingError) };
  }
}

async function beginningOf(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = response.body?.getReader();
  while (reader && length < MAX_ANSWER_BYTES) {
    const { done, value } = await reader.read();
    if (done) break;
    chunks.push(value);
    length += value.length;
  }
  await reader?.cancel().catch(() => {});
  // What the store cannot hold is no part of a text.
  return new TextDecoder().decode(Buffer.concat(chunks).subarray(0, MAX_ANSWER_BYTES)).replaceAll("\0", "");
}
