import { codeOf } from "../../db/mod.ts";

/** Causes of an error that are named, as a chain may be circular. */
const MAX_CAUSES = 5;

/**
 * The messages and codes of an error of a system, a service or PostgreSQL in one line, and what to do; undefined for an error without
 * a code, which is one of the program. `check` are the variables to look at, if any.
 */
export function failureIn(error: unknown, check: string): string | undefined {
  const messages = new Set<string>();
  let code = "";
  for (let at: unknown = error; at instanceof Error && messages.size < MAX_CAUSES; at = at.cause) {
    messages.add(at.message);
    if (codeOf(at) !== "") code = codeOf(at);
  }
  if (code === "") return undefined;
  const text = [...messages].join(": ");
  const advice = check === "" ? "" : `check ${check}, and `;
  return `${text}${text.includes(code) ? "" : ` (${code})`}; ${advice}run the command again once this is resolved`;
}
