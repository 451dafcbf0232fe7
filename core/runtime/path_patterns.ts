/** Paths in declarations: exact, or `/notes/*` for `/notes` and all below it. */
/** Who may open a screen: everybody, all who may read, signed-in users, holders of one of these permissions or of all. */
export type ScreenAccess = "anyone" | "reader" | "user" | readonly string[] | { readonly all: readonly string[] };

/** Whether a declared path covers the path of a route. */
export function coversPath(declared: string, path: string): boolean {
  if (!declared.endsWith("/*")) return declared === path;
  const below = declared.slice(0, -1);
  return path.startsWith(below) || path === below.slice(0, -1);
}

/** From everybody to few. A list of permissions admits fewest. */
const WIDTH = ["anyone", "reader", "user"];

/** Whether a declared access admits everybody whom another one admits. */
export function coversAccess(declared: ScreenAccess, access: ScreenAccess): boolean {
  const [wide, narrow] = [widthOf(declared), widthOf(access)];
  if (typeof declared === "string") return wide <= narrow;
  if (typeof access === "string") return false;
  // Holders of one of the permissions of a list; of all of them.
  if (isAnyOf(declared))
    return isAnyOf(access)
      ? access.every((name) => declared.includes(name))
      : access.all.some((name) => declared.includes(name));
  return isAnyOf(access)
    ? declared.all.every((name) => access.every((one) => one === name))
    : declared.all.every((name) => access.all.includes(name));
}

/** An access as text: `user`, `users-manage or tags-manage`, `a and b`. */
export function accessText(access: ScreenAccess): string {
  if (typeof access === "string") return access;
  return isAnyOf(access) ? access.join(" or ") : access.all.join(" and ");
}

function widthOf(access: ScreenAccess): number {
  return typeof access === "string" ? WIDTH.indexOf(access) : WIDTH.length;
}

function isAnyOf(access: Exclude<ScreenAccess, string>): access is readonly string[] {
  return Array.isArray(access);
}

/** The permissions that an access names; none for "anyone", "reader", "user" and what is no access. */
export function permissionsOf(access: unknown): readonly string[] {
  const names: unknown = typeof access === "object" && access !== null && "all" in access ? access.all : access;
  return Array.isArray(names) ? names : [];
}
