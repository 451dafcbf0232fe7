/**
 * Removes declarations that load a resource from style attributes: a request to another server tells it who reads the page,
 * and when. Other declarations stay as they are.
 */

/** A function that takes a URL, or a notation that could hide one: escapes, comments. */
const LOADS = /\b(?:url|src|image|image-set|cross-fade|element|expression)\s*\(|\\|\/\*|@/i;
/** One declaration; strings and parentheses may contain a semicolon. */
const DECLARATION = /(?:"[^"]*"|'[^']*'|\([^()]*\)|[^;"'()])+|["'()]/g;

/** The value of a style attribute without declarations that load a resource; "" if none is left. */
export function safeStyle(style: string): string {
  if (!LOADS.test(style)) return style;
  const declarations = style.match(DECLARATION) ?? [];
  // With an unbalanced quote or parenthesis it is uncertain where a declaration ends.
  if (declarations.some((one) => /^["'()]$/.test(one))) return "";
  return declarations
    .map((one) => one.trim())
    .filter((one) => one !== "" && !LOADS.test(one))
    .join("; ");
}
