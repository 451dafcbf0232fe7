/**
 * The JSON schema of bodies that pass rules. It may refuse what the rules accept, such as a number as text; what it accepts
 * passes, but for what only the store knows (`exists`, `unique`).
 */
import { MAX_ELEMENTS } from "./fields.ts";
import type { RuleList, Rules } from "./rules.ts";

type Schema = Readonly<Record<string, unknown>>;

/** JSON schemas of list elements that rules do not describe, by the field of the list. */
export type ItemSchemas = Readonly<Record<string, Schema>>;

interface SchemaParts {
  readonly spec: Rules;
  readonly items: ItemSchemas;
  /** The field that the rules are below; "" for those of a body. */
  readonly below: string;
}

/**
 * The JSON schema (2020-12, as in OpenAPI 3.1) of a valid body, as far as a schema can express the rules.
 * @example
 * schemaOf(rules({ priority: ["integer", "min:1"] }));
 * // { type: "object", properties: { priority: { type: "integer", format: "int32", minimum: 1 } } }
 */
export function schemaOf(spec: Rules, items: ItemSchemas = {}): Record<string, unknown> {
  return objectSchema({ spec, items, below: "" });
}

function objectSchema(parts: SchemaParts): Record<string, unknown> {
  const fields = Object.entries(parts.spec).filter(([field]) => !field.includes("."));
  const properties = Object.fromEntries(fields.map(([field, list]) => [field, fieldSchema(field, list, parts)]));
  const required = fields.filter(([, list]) => isAlwaysRequired(list, parts.below)).map(([field]) => field);
  return {
    type: "object",
    properties,
    ...(required.length > 0 ? { required } : {}),
    ...alternativesOf(fields, properties, parts.below),
    ...dependenciesOf(fields, parts.below),
  };
}

/** Fields below another one that need it have it. */
function isAlwaysRequired(list: RuleList, below: string): boolean {
  return list.includes("required") || (below !== "" && list.includes(`required_with:${below}`));
}

/** `required_without` and `required_if`: of several shapes a body has one. */
function alternativesOf(
  fields: readonly (readonly [string, RuleList])[],
  properties: Readonly<Record<string, Schema>>,
  below: string,
): Schema {
  const given = (names: readonly string[]) => ({
    required: names,
    properties: Object.fromEntries(names.map((name) => [name, filled(properties[name] ?? {})])),
  });
  const choices = new Map<string, Schema[]>();
  const conditions = new Map<string, string[]>();
  for (const [field, list] of fields) {
    const others = argsOf(list, "required_without");
    const fieldsOfChoice = [field, ...(others ?? [])].toSorted().join();
    if (others && !choices.has(fieldsOfChoice)) choices.set(fieldsOfChoice, [given([field]), given(others)]);
    const [other = "", ...values] = argsOf(list, "required_if") ?? [];
    const name = other.slice(below === "" ? 0 : below.length + 1);
    if (properties[name]) conditions.set(`${name},${values}`, [...(conditions.get(`${name},${values}`) ?? []), field]);
  }
  const optional = [...conditions].map(([condition, required]) => {
    const [name = "", ...values] = condition.split(",");
    return [{ properties: { [name]: otherThan(values, properties[name] ?? {}) } }, { required }];
  });
  const all = [...choices.values(), ...optional].map((anyOf) => ({ anyOf }));
  return all.length > 1 ? { allOf: all } : (all[0] ?? {});
}

function otherThan(values: readonly string[], { type }: Schema): Schema {
  return type === "boolean" ? { const: !values.includes("true") } : { not: { enum: values } };
}

/** A field that others are required without has to be filled: one that is empty counts as not sent. */
function filled(schema: Schema): Schema {
  if (schema.type === "string" && schema.format === undefined && schema.pattern === undefined)
    return { ...schema, minLength: schema.minLength ?? 1, pattern: wordOf(1) };
  return schema.type === "array" ? { ...schema, minItems: 1 } : schema;
}

/** `required_with` fields beside it. */
function dependenciesOf(fields: readonly (readonly [string, RuleList])[], below: string): Schema {
  const brought: Record<string, string[]> = {};
  for (const [field, list] of fields)
    for (const other of argsOf(list, "required_with") ?? [])
      if (other !== below) brought[other] = [...(brought[other] ?? []), field];
  return Object.keys(brought).length > 0 ? { dependentRequired: brought } : {};
}

function fieldSchema(field: string, list: RuleList, parts: SchemaParts): Schema {
  const base = typeSchema(field, list, parts);
  const isNullable = list.includes("nullable");
  const only = argsOf(list, "in");
  const limits = only ? { enum: [...only, ...(isNullable ? [null] : [])] } : limitsOf(base, list);
  return { ...base, ...limits, ...(isNullable ? { type: [base.type, "null"] } : {}) };
}

function limitsOf(base: Schema, list: RuleList): Schema {
  // Sizes of files are in kilobytes, which a schema cannot express.
  if (base.format === "binary") return {};
  const [min, max] = [bound(list, "min"), bound(list, "max")];
  const isRequired = list.includes("required");
  if (base.type === "integer") return present({ minimum: min, maximum: max });
  if (base.type === "array")
    return present({ minItems: min ?? (isRequired ? 1 : undefined), maxItems: max ?? base.maxItems });
  if (base.type !== "string") return {};
  const minLength = min ?? (isRequired ? 1 : undefined);
  const pattern = base.format === undefined ? patternOf(list, minLength ?? 0) : undefined;
  return present({ minLength, maxLength: max, pattern });
}

/** `safe_url` whatever the case of its letters: patterns have no flags. */
const UNSAFE_SCHEMES = "(?!\\s*(?:[jJ][aA][vV][aA][sS][cC][rR][iI][pP][tT]|[dD][aA][tT][aA]):)";

/** The pattern of a text; blanks at its ends do not count, as bodies are trimmed. */
function patternOf(list: RuleList, minLength: number): string | undefined {
  if (list.includes("alpha_dash")) return "^[\\p{L}\\p{M}\\p{N}_-]+$";
  const word = minLength > 0 ? wordOf(minLength) : undefined;
  if (list.includes("safe_url")) return `^${UNSAFE_SCHEMES}${word === undefined ? "" : `[\\s\\S]*${word}`}`;
  return word;
}

function wordOf(length: number): string {
  return length === 1 ? "\\S" : `\\S[\\s\\S]{${length - 2},}\\S`;
}

function typeSchema(field: string, list: RuleList, parts: SchemaParts): Schema {
  const spec = rulesBelow(field, parts.spec);
  const names = Object.keys(spec);
  const hasElements = names.some((name) => name === "*" || name.startsWith("*."));
  if (list.includes("array") || hasElements)
    return {
      type: "array",
      items: itemSchema(field, spec, parts.items),
      ...(hasElements ? { maxItems: MAX_ELEMENTS } : {}),
    };
  if (names.length > 0) return objectSchema({ spec, items: parts.items, below: nameBelow(parts.below, field) });
  if (list.includes("integer") || list.includes("int")) return { type: "integer", format: "int32" };
  if (list.includes("boolean")) return { type: "boolean" };
  if (list.includes("file") || list.includes("image_extension")) return { type: "string", format: "binary" };
  return list.includes("email") ? { type: "string", format: "email" } : { type: "string" };
}

function itemSchema(field: string, spec: Rules, items: ItemSchemas): Schema {
  const inner = rulesBelow("*", spec);
  if (spec["*"]) return fieldSchema("*", spec["*"], { spec, items, below: field });
  if (Object.keys(inner).length > 0) return objectSchema({ spec: inner, items, below: `${field}.*` });
  return Object.hasOwn(items, field) ? (items[field] ?? {}) : {};
}

/** The rules below a field, by the rest of their names. */
function rulesBelow(field: string, spec: Rules): Rules {
  const within = Object.entries(spec).filter(([name]) => name.startsWith(`${field}.`));
  return Object.fromEntries(within.map(([name, list]) => [name.slice(field.length + 1), list]));
}

function nameBelow(below: string, field: string): string {
  return below === "" ? field : `${below}.${field}`;
}

/** The arguments of a rule; undefined where the list does not have it. */
function argsOf(list: RuleList, name: string): string[] | undefined {
  return list
    .find((rule) => rule.startsWith(`${name}:`))
    ?.slice(name.length + 1)
    .split(",");
}

function bound(list: RuleList, name: "min" | "max"): number | undefined {
  const [value] = argsOf(list, name) ?? [];
  return value === undefined ? undefined : Number(value);
}

function present(schema: Schema): Schema {
  return Object.fromEntries(Object.entries(schema).filter(([, value]) => value !== undefined));
}
