/**
 * Rules of input in the notation of the interface specification ("required", "max:255"). They are data: `validate.ts` checks
 * by them, docs.json prints them, OpenAPI schemas are made from them, and the type of validated input is inferred from them.
 */
import type { Upload } from "../input/uploads.ts";

/** The rules of a field, in the order of their messages. */
export type RuleList = readonly string[];
/** Rules by field; dots and stars name nested values: `roles.*`, `fallback_permissions.inheriting`. */
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
/** The rules below a name, by the rest of their names. */
type Below<R extends Rules, Name extends string> = {
  [F in keyof R as F extends `${Name}.${infer Rest}` ? Rest : never]: R[F];
};
/** The type of a value by its rules and those below its name: a list, an object, or a plain value. */
type Shape<R extends Rules, F extends string> = keyof Below<R, F> extends never
  ? Plain<R[F] & RuleList>
  : [Extract<keyof Below<R, F>, "*" | `*.${string}`>] extends [never]
    ? Input<Below<R, F>>
    : readonly Element<Below<R, F>>[];
type Element<R extends Rules> = "*" extends keyof R ? Value<R, "*"> : Shape<R, "*">;
type Value<R extends Rules, F extends string> =
  Has<R[F] & RuleList, "nullable"> extends true ? Shape<R, F> | null : Shape<R, F>;
type Top<R extends Rules> = { [F in keyof R as F extends `${string}.${string}` ? never : F]: R[F] };
type RequiredFields<R extends Rules> = {
  [F in keyof Top<R>]: Has<Top<R>[F], "required"> extends true ? F : never;
}[keyof Top<R>];

/** The type of validated input: required fields are present, others optional, dotted names nested. */
export type Input<R extends Rules> = { readonly [F in keyof Top<R> & RequiredFields<R>]: Value<R, F & string> } & {
  readonly [F in Exclude<keyof Top<R>, RequiredFields<R>>]?: Value<R, F & string>;
};

/**
 * Declares rules; the type keeps their literals.
 * @example
 * const noteRules = rules({ name: ["required", "string", "max:255"], priority: ["integer", "nullable"] });
 * const { name, priority } = await context.validate(noteRules, input, viewer);
 */
export function rules<const R extends Rules>(spec: R): R {
  return spec;
}

/**
 * Rules as docs.json prints them, by field.
 * @example
 * ruleStrings(rules({ name: ["required", "max:255"] })); // { name: ["required", "max:255"] }
 */
export function ruleStrings(spec: Rules): Record<string, string[]> {
  return Object.fromEntries(Object.entries(spec).map(([field, list]) => [field, [...list]]));
}

/** JSON schemas of list elements that rules do not describe, by the field of the list. */
export type ItemSchemas = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/**
 * The JSON schema (2020-12, as in OpenAPI 3.1) of a valid body, as far as a schema can express the rules.
 * @example
 * schemaOf(rules({ name: ["required"] })); // { type: "object", properties: { name: { type: "string" } }, required: ["name"] }
 */
export function schemaOf(spec: Rules, items: ItemSchemas = {}): Record<string, unknown> {
  const fields = Object.entries(spec).filter(([field]) => !field.includes("."));
  const required = fields.filter(([, list]) => list.includes("required")).map(([field]) => field);
  const properties = Object.fromEntries(
    fields.map(([field, list]) => [field, fieldSchema(field, list, { spec, items })]),
  );
  return { type: "object", properties, ...(required.length > 0 ? { required } : {}) };
}

interface SchemaParts {
  readonly spec: Rules;
  readonly items: ItemSchemas;
}

function fieldSchema(field: string, list: RuleList, parts: SchemaParts): Record<string, unknown> {
  const base = typeSchema(field, list, parts);
  const isNullable = list.includes("nullable");
  const rule = list.find((candidate) => candidate.startsWith("in:"));
  const only = rule === undefined ? {} : { enum: [...rule.slice(3).split(","), ...(isNullable ? [null] : [])] };
  return { ...base, ...limitsOf(base, list), ...(isNullable ? { type: [base.type, "null"] } : {}), ...only };
}

function limitsOf(base: Record<string, unknown>, list: RuleList): Record<string, unknown> {
  const names: Readonly<Record<string, readonly [min: string, max: string]>> = {
    string: ["minLength", "maxLength"],
    integer: ["minimum", "maximum"],
    array: ["minItems", "maxItems"],
  };
  // Sizes of files are in kilobytes, which a schema cannot express.
  const words = base.format === "binary" ? undefined : names[String(base.type)];
  if (!words) return {};
  const [min, max] = [bound(list, "min"), bound(list, "max")];
  return { ...(min === undefined ? {} : { [words[0]]: min }), ...(max === undefined ? {} : { [words[1]]: max }) };
}

function typeSchema(field: string, list: RuleList, { spec, items }: SchemaParts): Record<string, unknown> {
  const below = rulesBelow(field, spec);
  if (list.includes("array") || Object.keys(below).some((name) => name === "*" || name.startsWith("*.")))
    return { type: "array", items: itemSchema(field, below, items) };
  if (Object.keys(below).length > 0) return schemaOf(below, items);
  if (list.includes("integer") || list.includes("int")) return { type: "integer" };
  if (list.includes("boolean")) return { type: "boolean" };
  if (list.includes("file") || list.includes("image_extension")) return { type: "string", format: "binary" };
  return list.includes("email") ? { type: "string", format: "email" } : { type: "string" };
}

function itemSchema(field: string, below: Rules, items: ItemSchemas): Readonly<Record<string, unknown>> {
  const inner = rulesBelow("*", below);
  if (below["*"]) return fieldSchema("*", below["*"], { spec: below, items });
  if (Object.keys(inner).length > 0) return schemaOf(inner, items);
  return Object.hasOwn(items, field) ? (items[field] ?? {}) : {};
}

/** The rules below a field, by the rest of their names. */
function rulesBelow(field: string, spec: Rules): Rules {
  const within = Object.entries(spec).filter(([name]) => name.startsWith(`${field}.`));
  return Object.fromEntries(within.map(([name, list]) => [name.slice(field.length + 1), list]));
}

function bound(list: RuleList, name: "min" | "max"): number | undefined {
  const rule = list.find((candidate) => candidate.startsWith(`${name}:`));
  return rule === undefined ? undefined : Number(rule.slice(name.length + 1));
}
