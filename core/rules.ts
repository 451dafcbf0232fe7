/**
 * Rules of input, in the notation of the interface specification ("required", "max:255"): data that the engine judges by
 * (`validate.ts`), that docs.json prints, that OpenAPI is made from, and from which the compiler infers what comes out.
 */
import type { Upload } from "./upload.ts";

/** The rules of one field, in the order in which their messages appear. */
export type RuleList = readonly string[];
/** Rules by field. Dots and stars reach into nested values: `roles.*`, `fallback_permissions.inheriting`. */
export type Rules = Readonly<Record<string, RuleList>>;

type Has<L extends RuleList, Name extends string> = Name extends L[number] ? true : false;
type Plain<L extends RuleList> =
  Has<L, "integer"> extends true
    ? number
    : Has<L, "int"> extends true
      ? number
      : Has<L, "boolean"> extends true
        ? boolean
        : Has<L, "array"> extends true
          ? readonly unknown[]
          : Has<L, "file"> extends true
            ? Upload
            : Has<L, "image_extension"> extends true
              ? Upload
              : string;
type Value<L extends RuleList> = Has<L, "nullable"> extends true ? Plain<L> | null : Plain<L>;
type Top<R extends Rules> = { [F in keyof R as F extends `${string}.${string}` ? never : F]: R[F] };
type RequiredFields<R extends Rules> = {
  [F in keyof Top<R>]: Has<Top<R>[F], "required"> extends true ? F : never;
}[keyof Top<R>];

/** What judged input looks like: required fields are present, others may be absent. */
export type Input<R extends Rules> = { readonly [F in keyof Top<R> & RequiredFields<R>]: Value<Top<R>[F]> } & {
  readonly [F in Exclude<keyof Top<R>, RequiredFields<R>>]?: Value<Top<R>[F]>;
};

/** Declares rules; the type keeps every word of them. */
export function rules<const R extends Rules>(spec: R): R {
  return spec;
}

/** Rules as docs.json prints them: field → rule strings. */
export function ruleStrings(spec: Rules): Record<string, string[]> {
  return Object.fromEntries(Object.entries(spec).map(([field, list]) => [field, [...list]]));
}

/** The JSON schema of a body that satisfies the rules, as far as a schema can say it. */
export function schemaOf(spec: Rules): Record<string, unknown> {
  const fields = Object.entries(spec).filter(([field]) => !field.includes("."));
  const required = fields.filter(([, list]) => list.includes("required")).map(([field]) => field);
  const properties = Object.fromEntries(fields.map(([field, list]) => [field, fieldSchema(field, list, spec)]));
  return { type: "object", properties, ...(required.length > 0 ? { required } : {}) };
}

function fieldSchema(field: string, list: RuleList, spec: Rules): Record<string, unknown> {
  const min = bound(list, "min");
  const max = bound(list, "max");
  const only = list
    .find((rule) => rule.startsWith("in:"))
    ?.slice(3)
    .split(",");
  const base = typeSchema(field, list, spec);
  const lengths = base.type === "string" && base.format !== "binary";
  const limits = lengths
    ? { ...(min === undefined ? {} : { minLength: min }), ...(max === undefined ? {} : { maxLength: max }) }
    : base.type === "integer"
      ? { ...(min === undefined ? {} : { minimum: min }), ...(max === undefined ? {} : { maximum: max }) }
      : {};
  const type = list.includes("nullable") ? { type: [base.type, "null"] } : {};
  return { ...base, ...limits, ...type, ...(only ? { enum: only } : {}) };
}

function typeSchema(field: string, list: RuleList, spec: Rules): Record<string, unknown> {
  if (list.includes("integer") || list.includes("int")) return { type: "integer" };
  if (list.includes("boolean")) return { type: "boolean" };
  if (list.includes("array")) return { type: "array", items: itemSchema(field, spec) };
  if (list.includes("file") || list.includes("image_extension")) return { type: "string", format: "binary" };
  if (list.includes("email")) return { type: "string", format: "email" };
  return Object.keys(spec).some((other) => other.startsWith(`${field}.`)) ? { type: "object" } : { type: "string" };
}

function itemSchema(field: string, spec: Rules): Record<string, unknown> {
  const items = spec[`${field}.*`];
  if (items) return fieldSchema(`${field}.*`, items, spec);
  return field === "tags"
    ? { type: "object", properties: { name: { type: "string" }, value: { type: "string" } } }
    : {};
}

function bound(list: RuleList, name: "min" | "max"): number | undefined {
  const rule = list.find((candidate) => candidate.startsWith(`${name}:`));
  return rule === undefined ? undefined : Number(rule.slice(name.length + 1));
}
