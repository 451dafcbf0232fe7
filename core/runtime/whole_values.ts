/**
 * Objects that pass from plugins which do not ship to others as they are: those of core and of classes of the platform, once
 * nothing can be added to them. All others are copied (`given_values.ts`).
 */
import { types } from "node:util";
import { type Expression, Kysely } from "kysely";
import { ApiError } from "../errors.ts";
import { isTransaction } from "../events/root_transaction.ts";
import { isUpload } from "../input/uploads.ts";
import { deepFreeze, FrozenSet, isPlain } from "../std/freeze.ts";
import { Html } from "../std/html.ts";
import { frozenViewer, type Viewer } from "../viewer.ts";

/** Objects whose content no plugin can give a member, once nothing can be added to them. */
const KNOWN: ReadonlySet<unknown> = new Set(
  [AbortSignal, Blob, DataView, File, FormData, Headers, Html, Request, Response, ReadableStream, RegExp, URL]
    .concat([URLSearchParams, WritableStream, ArrayBuffer, FrozenSet] as never[])
    .map(({ prototype }) => prototype),
);
/** Of the language and of core: classes of plugins could get a member later. */
const ERRORS: ReadonlySet<unknown> = new Set(
  [Error, TypeError, RangeError, SyntaxError, DOMException, ApiError].map(({ prototype }) => prototype as unknown),
);
/** Viewers whose members are values. */
const CHECKED = new WeakSet<object>();

/** Whether Kysely takes a value for SQL. */
export function isSql(value: unknown): value is Expression<unknown> {
  return typeof value === "object" && value !== null && "toOperationNode" in value;
}

/** Whether an object stays as it is. From then on nothing can be added to it. */
export function isWhole(value: object): boolean {
  if (types.isProxy(value) || isSql(value) || !isKnown(value)) return false;
  Object.preventExtensions(value);
  return true;
}

function isKnown(value: object): boolean {
  if (isTransaction(value) || value instanceof Kysely) return true;
  if (isUpload(value)) return Object.values(value).every((member) => typeof member === "function" || isSimple(member));
  const prototype: unknown = Object.getPrototypeOf(value);
  return KNOWN.has(prototype) || (types.isNativeError(value) && ERRORS.has(prototype));
}

/** Whether a value is no object and no function. */
export function isSimple(value: unknown): boolean {
  return typeof value !== "function" && (typeof value !== "object" || value === null);
}

/** Whether a value can be used as a viewer. Answers about users name permissions too, as lists: nothing takes these for a viewer. */
export function isViewer(value: unknown): value is Viewer {
  if (typeof value !== "object" || value === null || !("via" in value) || !("permissions" in value)) return false;
  const { permissions } = value;
  return typeof permissions === "object" && permissions !== null && "has" in permissions;
}

/** A viewer, which caches know by its identity, frozen; undefined where a member is no value, such as one that is read anew each time. */
export function givenViewer(viewer: Viewer): Viewer | undefined {
  if (CHECKED.has(viewer)) return frozenViewer(viewer);
  if (types.isProxy(viewer) || isSql(viewer) || !isPlain(viewer)) return undefined;
  const { roles, permissions, only = permissions, ...own } = Object.getOwnPropertyDescriptors(viewer);
  const isRead = [roles, permissions, only, ...Object.values(own)].some((member) => member?.get !== undefined);
  if (isRead || !Object.values(own).every((member) => isSimple(member.value))) return undefined;
  const found = frozenViewer(viewer);
  const lists: unknown[] = [found.roles, found.permissions, found.only ?? []];
  if (!lists.every((list) => (Array.isArray(list) || list instanceof FrozenSet) && [...list].every(isSimple)))
    return undefined;
  deepFreeze(viewer);
  CHECKED.add(viewer);
  CHECKED.add(found);
  return found;
}
