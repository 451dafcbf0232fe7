/** Approximate bytes of unanswered writes of a session: well below what a socket buffers. */
export const MAX_UNANSWERED_BYTES = 16_384;

/** The approximate size of a value in bytes. */
export function sizeOf(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (value instanceof Uint8Array) return value.byteLength;
  if (Array.isArray(value)) return value.reduce((sum: number, one: unknown) => sum + sizeOf(one), 0);
  return typeof value === "object" && value !== null ? MAX_UNANSWERED_BYTES : Float64Array.BYTES_PER_ELEMENT;
}
