/**
 * Parsing of bodies and query strings into one shape: JSON, urlencoded and multipart bodies and the query string become an
 * object of plain values; brackets in names build nested ones (content-api 1.1). Strings are trimmed at every depth. U+0000,
 * which PostgreSQL cannot store, and unpaired surrogates are removed. Malformed input is an ApiError 400, too much of it a
 * 413. Files of a form are written while they arrive (`multipart.ts`); everything else is in memory.
 */
import { ApiError } from "../errors.ts";
import { bodyOf, bytesOf } from "./body_stream.ts";
import { type FormLimits, type Pause, readParts } from "./multipart.ts";
import { storable } from "./storable_text.ts";
import { isUpload, type Keep, keepInMemory, type Upload } from "./uploads.ts";

/** A value of the input. */
export type InputValue = string | number | boolean | null | Upload | InputObject | readonly InputValue[];
/** Values of the input by name. */
export interface InputObject {
  readonly [name: string]: InputValue | undefined;
}

/** Limits on the structure of the input. */
export interface StructureLimits {
  /** Nested objects and arrays. */
  readonly maxDepth: number;
  /** Values of a form or query string. */
  readonly maxFields: number;
  /** Names in brackets of all fields of a form or query string together, with those before them: `a[b][c]` has three. */
  readonly maxNames: number;
  /** Values of a JSON body, at all depths. */
  readonly maxValues: number;
}

/** Limits of a request. */
export interface InputLimits extends FormLimits, StructureLimits {
  /** Characters of names and short texts in a large JSON or urlencoded body. */
  readonly maxShortChars: number;
  /** Bytes of a body of any type. */
  readonly maxBytes: number;
}

/** Limits far above what clients send. */
export const defaultInputLimits: InputLimits = {
  maxDepth: 64,
  maxFields: 10_000,
  maxNames: 30_000,
  maxValues: 100_000,
  maxShortChars: 4_000_000,
  maxFiles: 100,
  maxTextBytes: 20_971_520,
  maxNameChars: 1_000_000,
  maxBytes: 75_497_472,
};

/**
 * Limits of the forms of clients that are not signed in, which are read before anybody is known: theirs sign in, register and reset
 * passwords by a few fields. As many as users may send take the time of ten requests.
 */
export const STRANGER_LIMITS: Pick<InputLimits, "maxFields" | "maxNames" | "maxNameChars"> = {
  maxFields: 1_000,
  maxNames: 3_000,
  maxNameChars: 100_000,
};

/** Values by name while a form is read. */
class Tree {
  readonly values = new Map<string, InputValue | Tree>();
  /** The index of the next empty pair of brackets in a list: one above the highest so far. */
  next = 0;
}

const UNSAFE_KEYS = new Set(["__proto__", "constructor", "prototype"]);
const UNTRIMMED = new Set(["password", "password_confirmation", "password-confirm"]);
const URLENCODED = "application/x-www-form-urlencoded";
/** Methods that a POST may be turned into. */
export const OVERRIDES: ReadonlySet<string> = new Set(["PUT", "PATCH", "DELETE"]);
/** Overrides without effect: none turns a POST into a read. */
const IGNORED_OVERRIDES = new Set(["", "POST", "GET", "HEAD"]);

/**
 * Parses a query string without its question mark. Of equal names the last one counts; a further `?` is data. Never throws:
 * fields beyond the limits are left out, since the query string is parsed before authentication.
 */
export function parseQuery(search: string, limits: StructureLimits = defaultInputLimits): InputObject {
  const pairs = [...new URLSearchParams(search)].slice(0, limits.maxFields);
  let names = 0;
  return nested(
    pairs.flatMap(([name, value]) => {
      const keys = keysOf(name);
      if (isDeep(keys, limits) || names + keys.length > limits.maxNames) return [];
      names += keys.length;
      return [[keys, value]];
    }),
  );
}

/** A body that is parsed as a whole: JSON or urlencoded. */
export interface TextBody {
  readonly kind: "json" | "form";
  readonly bytes: Uint8Array;
}

/** Parses such a body. */
export type ParseText = (body: TextBody, limits: InputLimits) => InputObject | Promise<InputObject>;

/** How a body is parsed. */
export interface BodyReading {
  /** Stores the files of a form. */
  readonly keep: Keep;
  readonly parse: ParseText;
  /** Is awaited between pieces of work: others have their turn. */
  readonly pause: Pause;
  /** Runs work on the fields of a form, whose time is charged to the request. */
  timed<R>(work: () => Promise<R>): Promise<R>;
}

const IN_MEMORY: BodyReading = {
  keep: keepInMemory,
  parse: parseText,
  pause: () => undefined,
  timed: (work) => work(),
};

/**
 * Parses a body by its content type and trims its strings; a body of any other type is an empty object. Throws ApiError 400, 413 beyond the limits in bytes, and the error of a connection that broke.
 */
export async function parseBody(
  request: Request,
  limits: InputLimits = defaultInputLimits,
  reading: BodyReading = IN_MEMORY,
): Promise<InputObject> {
  const { parse } = reading;
  const maxText = Math.min(limits.maxBytes, limits.maxTextBytes);
  const type = mediaTypeOf(request);
  if (type === "application/json" || type.endsWith("+json"))
    return parse({ kind: "json", bytes: await bytesOf(request, maxText) }, limits);
  if (type === URLENCODED) return parse({ kind: "form", bytes: await bytesOf(request, maxText) }, limits);
  if (type === "multipart/form-data") return parseParts(request, limits, reading);
  return {};
}

/**
 * The input of a request in which empty text means null for these fields of an urlencoded body: such a form can send neither
 * null nor a file. Fields of the query string stay as they are.
 */
export function withEmptyAsNull(
  request: Request,
  { input, query }: { readonly input: InputObject; readonly query: InputObject },
  fields: readonly string[],
): InputObject {
  if (mediaTypeOf(request) !== URLENCODED) return input;
  const empty = fields.filter((field) => input[field] === "" && query[field] === undefined);
  return empty.length === 0 ? input : { ...input, ...Object.fromEntries(empty.map((field) => [field, null])) };
}

/** The content type of a request without its parameters, in small letters; "" where it has none. */
function mediaTypeOf({ headers }: Request): string {
  return (headers.get("content-type") ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
}

/** Parses a JSON or urlencoded body and trims its strings. Throws ApiError 400. */
export function parseText({ kind, bytes }: TextBody, limits: InputLimits): InputObject {
  return trimmed(kind === "json" ? parseJson(bytes, limits) : parseForm(textOf(bytes), limits));
}

/** Merges query string and body; the body takes precedence. */
export function merge(query: InputObject, body: InputObject): InputObject {
  return { ...query, ...body };
}

/**
 * The text that overrides the method of a POST, by header, body or query string, in capitals; undefined if none does. It may be no
 * method, or none of `OVERRIDES`.
 */
export function methodOverride(request: Request, body: InputObject, query: InputObject): string | undefined {
  if (request.method !== "POST") return undefined;
  const override = request.headers.get("x-http-method-override") || (body._method ?? query._method);
  const method = typeof override === "string" ? override.trim().toUpperCase() : "";
  return IGNORED_OVERRIDES.has(method) ? undefined : method;
}

/** A value with all its strings trimmed and made storable; passwords are not trimmed. */
export function trimmed<V extends InputValue>(value: V, key = ""): V {
  if (typeof value === "string") return (UNTRIMMED.has(key) ? storable(value) : trim(storable(value))) as V;
  if (typeof value !== "object" || value === null || isUpload(value)) return value;
  // The compiler does not narrow a type parameter: the list has the values of `value`.
  if (Array.isArray(value)) return value.map((item: InputValue) => trimmed(item)) as unknown as V;
  const entries = Object.entries(value as InputObject).filter(([name]) => !UNSAFE_KEYS.has(name));
  return Object.fromEntries(entries.map(([name, inner]) => [storable(name), trimmed(inner as InputValue, name)])) as V;
}

function parseJson(bytes: Uint8Array, limits: InputLimits): InputObject {
  let value: unknown;
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    if (text.trim() === "") return {};
    value = JSON.parse(text);
  } catch {
    throw new ApiError(400, "The request body could not be parsed as JSON.");
  }
  checkStructure(value, limits);
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as InputObject) : {};
}

function parseForm(text: string, limits: InputLimits): InputObject {
  checkFieldCount(countFields(text, limits.maxFields), limits);
  return nested(withKeys([...new URLSearchParams(text)], limits));
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

async function parseParts(
  request: Request,
  limits: InputLimits,
  { keep, pause, timed }: BodyReading,
): Promise<InputObject> {
  if (request.body === null || request.headers.get("content-length") === "0") return {};
  const type = request.headers.get("content-type") ?? "";
  const pairs = await readParts(bodyOf(request, limits.maxBytes), type, limits, { keep, pause });
  // Browsers send a file field without a file as a nameless, empty file.
  const sent = pairs.filter(([, value]) => typeof value === "string" || value.name !== "" || value.size > 0);
  await pause();
  return timed(async () => trimmed(nested(withKeys(sent, limits))));
}

/** Fields by the names in their names. Throws ApiError 400 for what is nested too deeply, and too many names in all. */
function withKeys<V extends InputValue>(
  fields: readonly (readonly [name: string, value: V])[],
  limits: StructureLimits,
) {
  let names = 0;
  return fields.map(([name, value]) => {
    const keys = shallowKeysOf(name, limits);
    names += keys.length;
    if (names > limits.maxNames)
      throw new ApiError(400, `The request has more than the ${limits.maxNames} names in brackets allowed.`);
    return [keys, value] as const;
  });
}

/** Builds nested values from names with brackets: `labels[0][name]`, `ids[]`. */
function nested(pairs: readonly (readonly [keys: readonly string[], value: InputValue])[]): InputObject {
  const root = new Tree();
  for (const [keys, value] of pairs) place(root, keys, value);
  return plain(root) as InputObject;
}

function keysOf(name: string): string[] {
  const open = name.indexOf("[");
  if (open <= 0 || !/^[^[]+(\[[^[\]]*\])+$/.test(name)) return [name];
  return [name.slice(0, open), ...name.slice(open + 1, -1).split("][")];
}

function shallowKeysOf(name: string, limits: StructureLimits): string[] {
  const keys = keysOf(name);
  if (isDeep(keys, limits)) throw new ApiError(400, `The request nests values more than ${limits.maxDepth} deep.`);
  return keys;
}

function isDeep(keys: readonly string[], limits: StructureLimits): boolean {
  return keys.length > limits.maxDepth;
}

function place(root: Tree, keys: readonly string[], value: InputValue): void {
  if (keys.some((key) => UNSAFE_KEYS.has(key))) return;
  let at = root;
  keys.forEach((key, index) => {
    const name = key === "" && index > 0 ? String(at.next) : key;
    if (/^\d{1,9}$/.test(name)) at.next = Math.max(at.next, Number(name) + 1);
    if (index === keys.length - 1) at.values.set(name, value);
    else {
      const inner = at.values.get(name);
      const branch = inner instanceof Tree ? inner : new Tree();
      at.values.set(name, branch);
      at = branch;
    }
  });
}

/** Turns trees with the names 0, 1, 2 … into arrays, the others into objects, in which such names come first. */
function plain(tree: Tree, isRoot = true): InputValue {
  const entries = [...tree.values].map(
    ([name, inner]) => [name, inner instanceof Tree ? plain(inner, false) : inner] as const,
  );
  const value: InputObject = Object.fromEntries(entries);
  const isList = !isRoot && Object.keys(value).every((name, index) => name === String(index));
  return isList ? (Object.values(value) as InputValue[]) : value;
}

/** The number of fields, up to one above `max`; counted before parsing, since a body of separators has millions of fields. */
function countFields(text: string, max: number): number {
  let count = text === "" ? 0 : 1;
  for (let at = text.indexOf("&"); at >= 0 && count <= max; at = text.indexOf("&", at + 1)) count += 1;
  return count;
}

function checkFieldCount(count: number, limits: StructureLimits): void {
  if (count > limits.maxFields)
    throw new ApiError(400, `The request has more than the ${limits.maxFields} fields allowed.`);
}

/**
 * Throws ApiError 400 for values that are nested too deeply or too many: a few megabytes of `[],[],…` would block the event
 * loop for seconds. It works level by level, since recursion would overflow the stack.
 */
function checkStructure(value: unknown, { maxDepth, maxValues }: InputLimits): void {
  let count = 0;
  let level = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxDepth) throw new ApiError(400, `The request nests values more than ${maxDepth} deep.`);
    const next: unknown[] = [];
    for (const item of level) {
      if (typeof item !== "object" || item === null) continue;
      const inner: unknown[] = Array.isArray(item) ? item : Object.values(item);
      count += inner.length;
      if (count > maxValues) throw new ApiError(400, `The request has more than the ${maxValues} values allowed.`);
      for (const value of inner) next.push(value);
    }
    level = next;
  }
}

/** A loop, since a regular expression takes quadratic time on long runs of blanks. */
function trim(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(text.charCodeAt(start))) start += 1;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

/** White space of `\s` above ASCII, with U+0085 and U+200B. */
const BLANKS = new Set(
  Array.from(
    "\u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u200b\u2028\u2029\u202f\u205f\u3000\ufeff",
    (blank) => blank.charCodeAt(0),
  ),
);

function isBlank(code: number): boolean {
  if (code <= 32) return code === 32 || (code >= 9 && code <= 13);
  return code >= 0x85 && BLANKS.has(code);
}

/** The query string of a URL, trimmed. */
export function queryOf(url: string): InputObject {
  const at = url.indexOf("?");
  return at < 0 ? {} : trimmed(parseQuery(url.slice(at + 1)));
}
