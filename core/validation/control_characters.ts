import { invalidFields } from "../errors.ts";

/** Control characters, line separators and bidirectional controls: they act in a terminal, a log or a mail header. */
const CONTROLS = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;

/**
 * Throws ApiError 422 for names with control characters, by field. Absent fields pass.
 * @example
 * rejectControlCharacters({ name: input.name });
 */
export function rejectControlCharacters(names: Readonly<Record<string, unknown>>): void {
  const wrong = Object.entries(names).filter(([, name]) => typeof name === "string" && CONTROLS.test(name));
  if (wrong.length === 0) return;
  throw invalidFields(
    Object.fromEntries(
      wrong.map(([field]) => [field, `The ${field.replaceAll("_", " ")} may not contain control characters.`]),
    ),
  );
}
