import { createHmac } from "node:crypto";

const PREFIX = "whsec_";
const SECRET_BYTES = 24;
const MAX_SECRET_BYTES = 64;

/** Generates a secret in the format of the Standard Webhooks libraries. */
export function generateSecret(): string {
  return PREFIX + Buffer.from(crypto.getRandomValues(new Uint8Array(SECRET_BYTES))).toString("base64");
}

/**
 * Whether receivers can verify calls signed with a secret: one with the prefix whsec_ has to contain 24 to 64 bytes in Base64,
 * as Standard Webhooks requires; any other text is used as the key itself.
 */
export function isValidSecret(secret: string): boolean {
  if (!secret.startsWith(PREFIX)) return true;
  const text = secret.slice(PREFIX.length);
  const bytes = Buffer.from(text, "base64");
  return bytes.toString("base64") === text && bytes.length >= SECRET_BYTES && bytes.length <= MAX_SECRET_BYTES;
}

/** The signed content of a call. */
export interface SignedContent {
  /** By which receivers detect repeated calls. */
  readonly id: string;
  /** Seconds since 1970. */
  readonly timestamp: number;
  readonly body: string;
}

/**
 * The headers of a call: those of Standard Webhooks (a MAC of id, timestamp and body), and a MAC of the body alone for
 * simpler receivers (platform 10.4).
 */
export function signedHeaders(secret: string, { id, timestamp, body }: SignedContent): Record<string, string> {
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
