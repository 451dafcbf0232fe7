import type { ChildTask } from "../children/messages.ts";
import { ApiError } from "../errors.ts";
import { type InputLimits, type InputValue, parseText, type TextBody } from "./body_parsing.ts";

/** Longer texts travel beside the message, which the server need not read then. */
const LONG_CHARS = 1_024;

/** What child processes do with bodies, by name. */
export const tasks = {
  parse({ body, limits }: { body: TextBody; limits: InputLimits }) {
    const input = parseText(body, limits);
    if (shortChars(input) > limits.maxShortChars)
      throw new ApiError(
        400,
        `The request has more than the ${limits.maxShortChars} characters allowed in short values.`,
      );
    return input;
  },
} satisfies Record<string, ChildTask>;

/** The characters of names and short texts: what the server has to read again. */
function shortChars(value: InputValue | undefined): number {
  if (typeof value === "string") return value.length <= LONG_CHARS ? value.length : 0;
  if (typeof value !== "object" || value === null) return 0;
  let chars = 0;
  for (const [name, inner] of Object.entries(value)) chars += name.length + shortChars(inner as InputValue);
  return chars;
}
