import type { ChildTask } from "../children/messages.ts";
import { ApiError } from "../errors.ts";
import { type InputLimits, type InputValue, parseText, type TextBody } from "../input/body_parsing.ts";

/** Longer texts are sent beside the message of the child process, so that the server does not parse them again. */
const LONG_CHARS = 1_024;

/** The tasks of child processes, by name. */
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

/** The characters of names and short texts, which the server parses again. */
function shortChars(value: InputValue | undefined): number {
  if (typeof value === "string") return value.length <= LONG_CHARS ? value.length : 0;
  if (typeof value !== "object" || value === null) return 0;
  let chars = 0;
  for (const [name, inner] of Object.entries(value)) chars += name.length + shortChars(inner as InputValue);
  return chars;
}
