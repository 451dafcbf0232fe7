/**
 * Style attributes without what loads something: an address in a style tells its server who reads the page, and when.
 * Colours, sizes and layout stay as they were written.
 */

/** A function that takes an address, or a notation that could hide one: escapes, comments. */
const LOADS = /\b(?:url|src|image|image-set|cross-fade|element|expression)\s*\(|\\|\/\*|@/i;
/** One declaration: strings and parentheses may hold a semicolon. */
const DECLARATION = /(?:"[^"]*"|'[^']*'|\([^()]*\)|[^;"'()])+|["'()]/g;

/** A style attribute's value without the declarations that load something; "" where none are left. */
export function safeStyle(style: string): string {
  if (!LOADS.test(style)) return style;
  const declarations = style.match(DECLARATION) ?? [];
  // A quote or parenthesis that stands alone makes it uncertain where a declaration ends.
  if (declarations.some((one) => /^["'()]$/.test(one))) return "";
  return declarations
    .map((one) => one.trim())
    .filter((one) => one !== "" && !LOADS.test(one))
    .join("; ");
}
