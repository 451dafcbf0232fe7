import { createHmac } from "node:crypto";

const PREFIX = "whsec_";
const SECRET_BYTES = 24;
const MAX_SECRET_BYTES = 64;

/** A fresh secret, in the form the Standard Webhooks libraries read. */
export function newSecret(): string {
  return PREFIX + Buffer.from(crypto.getRandomValues(new Uint8Array(SECRET_BYTES))).toString("base64");
}

/**
 * Whether a call can be signed with a secret so that others can tell: one that looks like ours holds 24 to 64 bytes, as
 * Standard Webhooks has it, and any other text is taken as it is.
 */
export function isSecret(secret: string): boolean {
  if (!secret.startsWith(PREFIX)) return true;
  const text = secret.slice(PREFIX.length);
  const bytes = Buffer.from(text, "base64");
  return bytes.toString("base64") === text && bytes.length >= SECRET_BYTES && bytes.length <= MAX_SECRET_BYTES;
}

/** What a call says about itself, so that its receiver can tell that it is ours, whole, and no repetition. */
export interface Signed {
  readonly id: string;
  /** Seconds since 1970. */
  readonly timestamp: number;
  readonly body: string;
}

/**
 * The headers of a call: those of Standard Webhooks (a MAC of id, time and body), and the plain MAC of the body that
 * simpler receivers look for (platform 10.4).
 */
export function signedHeaders(secret: string, { id, timestamp, body }: Signed): Record<string, string> {
  const key = secret.startsWith(PREFIX) ? Buffer.from(secret.slice(PREFIX.length), "base64") : Buffer.from(secret);
  const mac = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64");
  const plain = createHmac("sha256", secret).update(body).digest("hex");
  return {
    "content-type": "application/json",
    "accept-encoding": "identity",
    "user-agent": "Lectern-Webhooks",
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": `v1,${mac}`,
    "x-webhook-delivery": id,
    "x-webhook-signature-256": `sha256=${plain}`,
  };
}
