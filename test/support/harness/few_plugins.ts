/**
 * Names of shipped plugins for boots that are about another plugin, as `only` of `bootTestRuntime`: a boot of all that ships takes
 * eight times as long. Each list has what its plugins require.
 */

/** Users with roles and tokens, and one plugin with routes. */
export const FEW: readonly string[] = ["instance_settings", "mail", "throttle", "users", "roles", "tokens", "system"];
/** Also books, of which names and permissions are known. */
export const WITH_BOOKS: readonly string[] = [...FEW, "access", "tags", "markup", "shelves", "books"];
/** Also chapters and pages. */
export const WITH_PAGES: readonly string[] = [...WITH_BOOKS, "chapters", "pages"];
/** The shell of the screens. */
export const WITH_SCREENS: readonly string[] = [...FEW, "sessions", "web"];
