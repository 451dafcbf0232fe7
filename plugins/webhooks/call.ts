import { OutgoingError, type OutgoingFetch } from "lectern/core";
import type { Payload, Sent, WebhookRow } from "./contract.ts";
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
const PASSING = new Set([408, 425, 429]);

/** What is told to whom. */
export interface Told {
  readonly id: number;
  readonly hook: WebhookRow;
  readonly payload: Payload;
}

/** The body of a call: what happened, and whose webhook is told. */
export function bodyOf({ id, name }: Pick<WebhookRow, "id" | "name">, payload: Payload): string {
  return JSON.stringify({
    ...payload,
    ...("webhook_id" in payload && { webhook_id: id }),
    ...("webhook_name" in payload && { webhook_name: name }),
  });
}

/** Headers that prove who calls; whoever looks at a call needs no more of them than that they were there. */
const PROOFS = new Set(["webhook-signature", "x-webhook-signature-256"]);

/** Makes one call and never throws; "cut" where `end` came first. Redirects are answers like others, and no good ones. */
export async function call(fetch: OutgoingFetch, told: Told, end: AbortSignal): Promise<Outcome | "cut"> {
  const { endpoint, name, secret, timeout } = told.hook;
  const started = performance.now();
  const body = bodyOf(told.hook, told.payload);
  const headers = signedHeaders(secret, { id: String(told.id), timestamp: Math.floor(Date.now() / 1000), body });
  const shown = Object.fromEntries(Object.entries(headers).filter(([header]) => !PROOFS.has(header)));
  const sent = { address: endpoint, name, headers: shown };
  const since = () => Math.round(performance.now() - started);
  try {
    const signal = AbortSignal.any([AbortSignal.timeout(timeout * 1000), end]);
    // What comes packed is kept as it came: a small answer may unpack to more than there is room for.
    const response = await fetch(endpoint, { method: "POST", headers, body, signal, decompress: false });
    const answer = await beginningOf(response);
    const isTaken = response.status >= 200 && response.status < 300;
    return {
      error: isTaken ? "" : `Response status from endpoint was ${response.status}`,
      status: response.status,
      sent,
      answer,
      durationMs: since(),
      mayRetry: response.status >= 500 || PASSING.has(response.status),
    };
  } catch (error) {
    if (end.aborted) return "cut";
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
