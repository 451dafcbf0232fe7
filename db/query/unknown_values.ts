/** What is asked of values whose type is unknown: errors that were caught, contents of files, answers of others. */

/**
 * Whether a value is an object, whose members are then read by name; a list is one, too.
 * @example
 * const sent: unknown = JSON.parse('{"name":"Milk"}');
 * const name = isObject(sent) ? sent.name : undefined;
 */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

/**
 * The code of an error, an SQLSTATE or one of the system such as ENOENT; "" where it has none.
 * @example
 * const isTaken = (error: unknown) => codeOf(error) === "23505";
 */
export function codeOf(error: unknown): string {
  return isObject(error) && error.code !== undefined ? String(error.code) : "";
}

/**
 * The message of what was thrown, which need not be an error.
 * @example
 * await context.files.remove("notes/1.txt").catch((error: unknown) => context.log.warn(messageOf(error)));
 */
export function messageOf(error: unknown): string {
  return isObject(error) && typeof error.message === "string" ? error.message : String(error);
}
