/** Plain data for messages: what cannot be sent is left out. */

const MAX_DEPTH = 30;

/** A copy as plain data: dates become texts, sets and maps lists and objects; functions and other objects are left out. */
export function plainOf(value: unknown, depth = 0): unknown {
  if (typeof value === "function" || typeof value === "symbol") return undefined;
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return value;
  if (depth > MAX_DEPTH) return undefined;
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Set) return [...value].map((each) => plainOf(each, depth + 1));
  if (Array.isArray(value)) return value.map((each) => plainOf(each, depth + 1));
  const entries = value instanceof Map ? [...value] : isPlain(value) ? Object.entries(value) : undefined;
  return entries && Object.fromEntries(entries.map(([name, each]) => [name, plainOf(each, depth + 1)]));
}

/**
 * A draft that a filter returned, as the owner of the event gets it: members that could not be sent, such as uploaded files,
 * are those of the draft before.
 */
export function returnedDraft(before: unknown, returned: unknown): unknown {
  if (!isPlain(before) || !isPlain(returned)) return returned;
  const unsent = Object.entries(before).filter(([, member]) => member !== undefined && plainOf(member) === undefined);
  return { ...returned, ...Object.fromEntries(unsent) };
}

function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
