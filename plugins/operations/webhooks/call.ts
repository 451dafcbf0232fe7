/**
 * One call of a webhook: signed, with the id and the trace of the request that caused it, through the plugin's own `fetch`, and
 * its outcome as it is recorded. Whether and when it is tried again is decided by its job.
 */
import { OutgoingError, SECOND_MS } from "lectern/core";
import { messageOf } from "lectern/db";
import type { Payload, Sent, WebhookRow, WebhooksContext } from "./contract.ts";
import { requestBody, requestIdOf, traceOf } from "./payload.ts";
import { type FollowOptions, fetchFollowingRedirects } from "./redirects.ts";
import { signedHeaders } from "./signature.ts";

/** The outcome of one call. */
export interface Outcome {
  /** Empty if the call was delivered. */
  readonly error: string;
  readonly status?: number;
  /** The request without its body. */
  readonly sent: Sent;
  /** The beginning of the response, as text. */
  readonly answer: string;
  readonly durationMs: number;
  /** Whether the same call may succeed later. */
  readonly mayRetry: boolean;
}

/** Bytes of a response that are read and stored. */
const MAX_ANSWER_BYTES = 4096;
/** Statuses below 500 after which a call is retried (platform 10.4). */
const RETRYABLE = new Set([408, 425, 429]);

/** A payload, and the webhook it is delivered to. */
export interface Attempt {
  readonly id: number;
  readonly hook: WebhookRow;
  readonly payload: Payload;
}

/** Headers that authenticate the call; they are not stored, and not sent to other origins. */
const SIGNATURES = new Set(["webhook-signature", "x-webhook-signature-256"]);

/** How calls are sent. */
export interface DeliveryOptions extends Omit<FollowOptions, "confidential"> {
  readonly traces: Pick<WebhooksContext["contracts"]["traces"], "run" | "headers">;
}

/**
 * Makes one call, following redirects. Never throws; "aborted" if `end` was triggered first. Where traces are recorded, it
 * continues that of the request that caused the event, and the receiver gets it.
 */
export async function call(calling: DeliveryOptions, attempt: Attempt, end: AbortSignal): Promise<Outcome | "aborted"> {
  const attributes = { "lectern.webhook.id": attempt.hook.id, "lectern.webhook.delivery": attempt.id };
  const parent = traceOf(attempt.payload);
  return calling.traces.run({ name: "webhook call", kind: "internal", parent, attributes }, () =>
    callNow(calling, attempt, end),
  );
}

async function callNow(calling: DeliveryOptions, attempt: Attempt, end: AbortSignal): Promise<Outcome | "aborted"> {
  const { endpoint, name, secret, timeout } = attempt.hook;
  const started = performance.now();
  const body = requestBody(attempt.hook, attempt.payload);
  const requestId = requestIdOf(attempt.payload);
  const headers = {
    ...signedHeaders(secret, { id: String(attempt.id), timestamp: Math.floor(Date.now() / SECOND_MS), body }),
    ...(requestId === undefined ? {} : { "x-request-id": requestId }),
    ...calling.traces.headers(),
  };
  const visible = Object.fromEntries(Object.entries(headers).filter(([header]) => !SIGNATURES.has(header)));
  const sent = { address: endpoint, name, headers: visible };
  const since = () => Math.round(performance.now() - started);
  try {
    const signal = AbortSignal.any([AbortSignal.timeout(timeout * SECOND_MS), end]);
    const response = await fetchFollowingRedirects(
      { address: endpoint, headers, body, signal },
      { ...calling, confidential: SIGNATURES },
    );
    const answer = await readBeginning(response);
    const isDelivered = response.status < 400;
    return {
      error: isDelivered ? "" : `Response status from endpoint was ${response.status}`,
      status: response.status,
      sent,
      answer,
      durationMs: since(),
      mayRetry: response.status >= 500 || RETRYABLE.has(response.status),
    };
  } catch (error) {
    if (end.aborted) return "aborted";
    const isLate = error instanceof Error && error.name === "TimeoutError";
    const text = isLate ? `No answer came within ${timeout} seconds` : messageOf(error);
    return {
      error: text.slice(0, 1000),
      sent,
      answer: "",
      durationMs: since(),
      mayRetry: !(error instanceof OutgoingError),
    };
  }
}

async function readBeginning(response: Response): Promise<string> {
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
  // PostgreSQL cannot store NUL in a text.
  return new TextDecoder().decode(Buffer.concat(chunks).subarray(0, MAX_ANSWER_BYTES)).replaceAll("\0", "");
}
