/** Paths in declarations: exact, or `/notes/*` for `/notes` and all below it. */
import type { Permit } from "../registry.ts";

/** Whether a declared path covers the path of a route. */
export function coversPath(declared: string, path: string): boolean {
  if (!declared.endsWith("/*")) return declared === path;
  const below = declared.slice(0, -1);
  return path.startsWith(below) || path === below.slice(0, -1);
}

/** Whether one of these routes, such as "PUT /api/pages/:id", is that of a call; its path may hold a query. */
export function namesRoute(routes: readonly string[], method: string, path: string): boolean {
  // As the server reads it, which resolves "..".
  const called = segmentsOf(method, new URL(`http://localhost${path}`).pathname);
  return routes.some((route) => {
    const [verb = "", pattern = ""] = route.split(" ");
    const named = segmentsOf(verb, pattern);
    return named.length === called.length && named.every((part, at) => part.startsWith(":") || part === called[at]);
  });
}

function segmentsOf(method: string, path: string): string[] {
  return [method.toUpperCase(), ...path.split("/")];
}

/** From everybody to few; permissions permit fewest. */
const WIDTH = ["public", "reader", "user"];

/** A permit with permissions. */
type Permissions = Exclude<Permit, string>;

/** Whether a declared permit is of everybody whom another one permits. */
export function coversPermit(declared: Permit, permit: Permit): boolean {
  const [wide, narrow] = [widened(declared), widened(permit)];
  if (typeof wide === "string") return WIDTH.indexOf(wide) <= widthOf(narrow);
  if (typeof narrow === "string") return false;
  // Holders of one of the permissions of a list; of all of them.
  if (isAnyOf(wide))
    return isAnyOf(narrow)
      ? narrow.every((name) => wide.includes(name))
      : narrow.all.some((name) => wide.includes(name));
  return isAnyOf(narrow)
    ? wide.all.every((name) => narrow.every((one) => one === name))
    : wide.all.every((name) => narrow.all.includes(name));
}

/** A permit as text: `user`, `users-manage or tags-manage`, `a and b`. */
export function permitText(permit: Permit): string {
  if (typeof permit === "string") return permit;
  return isAnyOf(permit) ? permit.join(" or ") : permit.all.join(" and ");
}

/** A permit of a single permission as a list. What was accepted before 0.3 says "anyone" for "public". */
function widened(permit: Permit | "anyone"): (typeof WIDTH)[number] | Permissions {
  if (permit === "anyone") return "public";
  return typeof permit === "string" && !WIDTH.includes(permit) ? [permit] : permit;
}

function widthOf(permit: string | Permissions): number {
  return typeof permit === "string" ? WIDTH.indexOf(permit) : WIDTH.length;
}

function isAnyOf(permit: Permissions): permit is readonly string[] {
  return Array.isArray(permit);
}

/** The permissions that a permit names; none for "public", "reader", "user" and what is no permit. */
export function permissionsOf(permit: unknown): readonly string[] {
  if (typeof permit === "string") return WIDTH.includes(permit) ? [] : [permit];
  const names: unknown = typeof permit === "object" && permit !== null && "all" in permit ? permit.all : permit;
  return Array.isArray(names) ? names : [];
}
