import { OutgoingError } from "lectern/core";
import type { Payload, Sent, WebhookRow } from "./contract.ts";
import { named } from "./filtered.ts";
import { type FollowOptions, fetchFollowingRedirects } from "./redirects.ts";
import { signedHeaders } from "./sign.ts";

/** What came of one call. */
export interface Outcome {
  /** Empty where it was taken. */
  readonly error: string;
  readonly status?: number;
  /** What the call was made with. */
  readonly sent: Sent;
  /** The beginning of the answer, as text. */
  readonly answer: string;
  readonly durationMs: number;
  /** Whether the same call may succeed later. */
  readonly mayRetry: boolean;
}

/** So much of an answer is kept, in bytes; the rest is not read. */
const MAX_ANSWER_BYTES = 4096;
/** Answers after which it is worth asking again (platform 10.4). */
const RETRYABLE = new Set([408, 425, 429]);

/** A payload and the webhook that it is delivered to. */
export interface Attempt {
  readonly id: number;
  readonly hook: WebhookRow;
  readonly payload: Payload;
}

/** The body of a call: what happened, and whose webhook is told. */
export function requestBody(hook: Pick<WebhookRow, "id" | "name">, payload: Payload): string {
  return JSON.stringify(named(payload, hook));
}

/** Headers that prove who calls; whoever looks at a call needs no more of them than that they were there. */
const PROOFS = new Set(["webhook-signature", "x-webhook-signature-256"]);

/** How calls leave Lectern. */
export type DeliveryOptions = Omit<FollowOptions, "proofs">;

/** Makes one call, follows its redirects, and never throws; "aborted" where `end` came first. */
export async function call(calling: DeliveryOptions, attempt: Attempt, end: AbortSignal): Promise<Outcome | "aborted"> {
  const { endpoint, name, secret, timeout } = attempt.hook;
  const started = performance.now();
  const body = requestBody(attempt.hook, attempt.payload);
  const headers = signedHeaders(secret, { id: String(attempt.id), timestamp: Math.floor(Date.now() / 1000), body });
  const shown = Object.fromEntries(Object.entries(headers).filter(([header]) => !PROOFS.has(header)));
  const sent = { address: endpoint, name, headers: shown };
  const since = () => Math.round(performance.now() - started);
  try {
    const signal = AbortSignal.any([AbortSignal.timeout(timeout * 1000), end]);
    const response = await fetchFollowingRedirects(
      { address: endpoint, headers, body, signal },
      { ...calling, proofs: PROOFS },
    );
    const answer = await beginningOf(response);
    const isTaken = response.status < 400;
    return {
      error: isTaken ? "" : `Response status from endpoint was ${response.status}`,
      status: response.status,
      sent,
      answer,
      durationMs: since(),
      mayRetry: response.status >= 500 || RETRYABLE.has(response.status),
    };
  } catch (error) {
    if (end.aborted) return "aborted";
    const isLate = error instanceof Error && error.name === "TimeoutError";
    const text = isLate ? `No answer came within ${timeout} seconds` : String((error as Error).message ?? error);
    return {
      error: text.slice(0, 1000),
      sent,
      answer: "",
      durationMs: since(),
      mayRetry: !(error instanceof OutgoingError),
    };
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
