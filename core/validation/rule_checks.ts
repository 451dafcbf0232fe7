/**
 * The checks of single rules: pure functions of one field that return the key of an error text. Rules that need the store or
 * the bytes of a file, and the required family, which depends on other fields, are in `validate.ts`. Sizes are code points of
 * texts, items of lists, and kilobytes of 1024 bytes of files.
 */
import type { InputValue } from "../input/body_parsing.ts";
import { isUpload } from "../input/uploads.ts";
import type { RuleList } from "./rules.ts";

/** The values of placeholders in a message. */
export type MessageParams = Readonly<Record<string, string | number>>;

/** A field as it was sent. */
export interface Field {
  /** With indexes in place of stars: `roles.0`. */
  readonly name: string;
  readonly keys: readonly string[];
  readonly value: InputValue | undefined;
  readonly present: boolean;
  /** As in messages. */
  readonly label: string;
}

/** Checks a field. Returns the key and placeholders of the error text, or undefined. */
export type RuleCheck = (
  field: Field,
  args: readonly string[],
  list: RuleList,
) => { key: string; params?: MessageParams } | undefined;

/** The range of a PostgreSQL integer. */
const MAX_INTEGER = 2_147_483_647;
const MIN_INTEGER = -2_147_483_648;
const BYTES_PER_KILOBYTE = 1024;
const IMAGE_EXTENSIONS = new Set(["jpg", "jpeg", "png", "gif", "webp", "avif"]);
const EMAIL =
  /^(?!\.)(?!.*\.\.)[\p{L}\p{N}!#$%&'*+/=?^_`{|}~.-]{1,64}(?<!\.)@[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?(?:\.[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?)*$/u;
const MAX_EMAIL = 254;

const CHECKS: Readonly<Record<string, RuleCheck>> = {
  string: ({ value }) => (typeof value === "string" ? undefined : { key: "validation.string" }),
  integer: ({ value }) => (isInteger(value) ? undefined : { key: "validation.integer" }),
  int: ({ value }) => (isInteger(value) ? undefined : { key: "validation.integer" }),
  boolean: ({ value }) => (isBoolean(value) ? undefined : { key: "validation.boolean" }),
  array: ({ value }) =>
    typeof value === "object" && value !== null && !isUpload(value) ? undefined : { key: "validation.array" },
  email: ({ value }) =>
    typeof value === "string" && value.length <= MAX_EMAIL && EMAIL.test(value)
      ? undefined
      : { key: "validation.email" },
  alpha_dash: ({ value }) =>
    (typeof value === "string" || typeof value === "number") && /^[\p{L}\p{M}\p{N}_-]+$/u.test(String(value))
      ? undefined
      : { key: "validation.alpha_dash" },
  safe_url: ({ value }) =>
    typeof value === "string" && /^\s*(javascript|data):/i.test(value) ? { key: "validation.safe_url" } : undefined,
  file: ({ value }) => (isUpload(value) ? undefined : { key: "validation.file" }),
  image_extension: ({ value }) =>
    isUpload(value) && IMAGE_EXTENSIONS.has(extensionOf(value.name))
      ? undefined
      : { key: "validation.image_extension" },
  in: ({ value }, args) =>
    typeof value !== "object" && args.includes(String(value)) ? undefined : { key: "validation.in" },
  min: (field, [bound = "0"], list) =>
    isMisplaced(field, list) || sizeOf(field.value, list) >= Number(bound)
      ? undefined
      : { key: `validation.min.${kindOf(field.value, list)}`, params: { min: bound } },
  max: (field, [bound = "0"], list) =>
    isMisplaced(field, list) || sizeOf(field.value, list) <= Number(bound)
      ? undefined
      : { key: `validation.max.${kindOf(field.value, list)}`, params: { max: bound } },
};

/** The check of a rule; undefined for the rules that `validate.ts` handles itself. */
export function ruleCheck(name: string): RuleCheck | undefined {
  return Object.hasOwn(CHECKS, name) ? CHECKS[name] : undefined;
}

/** Whether a field was sent as an empty string. */
export function isBlank({ value }: Field): boolean {
  return typeof value === "string" && value.trim() === "";
}

/** Whether a field satisfies `required`: it was sent and is neither null nor empty. */
export function isRequired(field: Field): boolean {
  const { value, present } = field;
  if (!present || value === undefined || value === null || isBlank(field)) return false;
  return typeof value !== "object" || isUpload(value) || Object.keys(value).length > 0;
}

function isInteger(value: InputValue | undefined): boolean {
  if (value === true) return true;
  if (typeof value === "string" && !/^[+-]?(0|[1-9]\d*)$/.test(value)) return false;
  if (typeof value !== "number" && typeof value !== "string") return false;
  const number = Number(value);
  return Number.isInteger(number) && number >= MIN_INTEGER && number <= MAX_INTEGER;
}

function isBoolean(value: InputValue | undefined): boolean {
  return value === true || value === false || value === 1 || value === 0 || value === "1" || value === "0";
}

/** The size for `min` and `max`: the value of a number, kilobytes of a file, items of a list, code points of a text. */
function sizeOf(value: InputValue | undefined, list: RuleList): number {
  if (isUpload(value)) return value.size / BYTES_PER_KILOBYTE;
  if (typeof value === "object" && value !== null) return Object.keys(value).length;
  if (kindOf(value, list) === "number" && isInteger(value)) return Number(value);
  const text = value === null || value === undefined || value === false ? "" : String(value);
  return lengthOf(text);
}

/** The number of code points, without an array of them. */
function lengthOf(text: string): number {
  let length = text.length;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code >= 0xd800 && code <= 0xdbff) length -= 1;
  }
  return length;
}

function kindOf(value: InputValue | undefined, list: RuleList): "number" | "array" | "file" | "string" {
  if (list.includes("integer") || list.includes("int")) return "number";
  if (list.includes("array")) return "array";
  return isUpload(value) ? "file" : "string";
}

/** Whether a file was sent for a text: that is the one error, its size is none. */
function isMisplaced({ value }: Field, list: RuleList): boolean {
  return isUpload(value) && list.includes("string");
}

function extensionOf(name: string): string {
  return name.includes(".") ? name.slice(name.lastIndexOf(".") + 1).toLowerCase() : "";
}
