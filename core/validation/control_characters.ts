import { ApiError } from "../errors.ts";

/**
 * What a name must not hold: control characters, line separators, and what turns the direction of the text after it. In a
 * terminal, a log or the header of a letter, these would act instead of being shown.
 */
const CONTROLS = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;

/**
 * Throws 422 for names that hold control characters, by field; fields that are absent are not judged.
 * @example
 * rejectControlCharacters({ name: input.name });
 */
export function rejectControlCharacters(names: Readonly<Record<string, unknown>>): void {
  const wrong = Object.entries(names).filter(([, name]) => typeof name === "string" && CONTROLS.test(name));
  if (wrong.length === 0) return;
  const validation = Object.fromEntries(
    wrong.map(([field]) => [field, [`The ${field.replaceAll("_", " ")} may not contain control characters.`]]),
  );
  throw new ApiError(422, "The given data was invalid.", { validation });
}
