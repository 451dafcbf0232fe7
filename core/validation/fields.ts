/**
 * Compiles rules, expands names with stars over the input (`roles.*` → `roles.0`, `roles.1`), and builds the result from
 * validated fields alone: unknown keys and elements beyond the limit are left out. Lists are arrays in the result even if an
 * object was sent. Rules are compiled once for each object of rules.
 */
import type { InputObject, InputValue } from "../input/body_parsing.ts";
import { isUpload } from "../input/uploads.ts";
import { type Field, type RuleCheck, ruleCheck } from "./rule_checks.ts";
import type { RuleList, Rules } from "./rules.ts";

/** Elements of a list that are validated; each one is validated on its own. */
export const MAX_ELEMENTS = 1_000;

/** The rules on whether a field was sent; they alone apply to empty values. */
export const REQUIRED: ReadonlySet<string> = new Set(["required", "required_without", "required_with", "required_if"]);
/** The rules whose checks are asynchronous. */
export const ASYNC_RULES: ReadonlySet<string> = new Set(["exists", "unique", "mimes"]);

/** A parsed rule: `max:255` → max, ["255"]. */
export interface Rule {
  readonly name: string;
  readonly args: readonly string[];
  /** Undefined for the rules that `validate.ts` handles itself. */
  readonly check: RuleCheck | undefined;
}

/** The type of a field in the result; a branch has fields below it. */
export type Kind = "integer" | "boolean" | "array" | "file" | "text" | "branch";

/** The compiled rules of a field. */
export interface CompiledField {
  readonly field: string;
  readonly path: readonly string[];
  readonly label: string;
  readonly list: RuleList;
  readonly rules: readonly Rule[];
  readonly kind: Kind;
  readonly isNullable: boolean;
  /** Whether there are rules for its elements: `roles.*` for `roles`. */
  readonly hasElements: boolean;
  readonly isAsync: boolean;
  /** Whether `min` applies to an empty string, as it does for texts. */
  readonly measuresBlank: boolean;
}

const COMPILED = new WeakMap<Rules, readonly CompiledField[]>();

/** Compiles rules, once for each object of rules. Throws for an unknown rule. */
export function compile(spec: Rules): readonly CompiledField[] {
  const known = COMPILED.get(spec);
  if (known) return known;
  const names = Object.keys(spec);
  const compiled = Object.entries(spec).map(([field, list]): CompiledField => {
    const rules = list.map((rule) => parsed(field, rule));
    const hasElements = names.some((name) => name.startsWith(`${field}.*`));
    const isBranch = hasElements || names.some((name) => name.startsWith(`${field}.`));
    return {
      field,
      list,
      rules,
      hasElements,
      path: field.split("."),
      label: labelOf(field),
      kind: isBranch ? "branch" : kindOf(list),
      isNullable: list.includes("nullable"),
      isAsync: rules.some(({ name }) => ASYNC_RULES.has(name)),
      measuresBlank: list.includes("string") && !list.includes("array"),
    };
  });
  COMPILED.set(spec, compiled);
  return compiled;
}

/** The name of a field in messages; dots stay. */
export function labelOf(name: string): string {
  return name.replaceAll("_", " ");
}

function parsed(field: string, rule: string): Rule {
  const [name = "", args] = rule.split(/:(.*)/s);
  const check = ruleCheck(name);
  if (!check && !REQUIRED.has(name) && !ASYNC_RULES.has(name) && name !== "nullable")
    throw new Error(`Cannot read the rules of "${field}": there is no rule "${name}"`);
  return { name, args: args === undefined ? [] : args.split(","), check };
}

function kindOf(list: RuleList): Kind {
  if (list.includes("integer") || list.includes("int")) return "integer";
  if (list.includes("boolean")) return "boolean";
  if (list.includes("array")) return "array";
  return list.includes("file") || list.includes("image_extension") ? "file" : "text";
}

/** The fields of compiled rules: the elements sent for a name with stars, else the one field, sent or not. */
export function fieldsOf(compiled: CompiledField, input: InputObject): Field[] {
  const { path, label } = compiled;
  let at: Place[] = [{ keys: [], value: input, present: true }];
  for (const part of path) at = part === "*" ? at.flatMap(elementsOf).slice(0, MAX_ELEMENTS) : at.map(stepTo(part));
  const isExpanded = path.includes("*");
  return at.map(({ keys, value, present }) => {
    const name = keys.join(".");
    // Expanded names keep underscores in messages, as in the original.
    return { name, keys, value: value as InputValue | undefined, present, label: isExpanded ? name : label };
  });
}

/** A field by its plain name, such as `fallback_permissions.inheriting`. */
export function fieldAt(input: InputObject, name: string, label = labelOf(name)): Field {
  const keys = name.split(".");
  const { value, present } = keys.reduce<Place>((place, key) => stepTo(key)(place), {
    keys: [],
    value: input,
    present: true,
  });
  return { name, keys, value: value as InputValue | undefined, present, label };
}

interface Place {
  readonly keys: readonly string[];
  readonly value: unknown;
  readonly present: boolean;
}

function stepTo(key: string): (place: Place) => Place {
  return ({ keys, value }) => {
    const present = isObject(value) && Object.hasOwn(value, key);
    return { keys: [...keys, key], value: present ? value[key] : undefined, present };
  };
}

function elementsOf({ keys, value }: Place): Place[] {
  if (!isObject(value)) return [];
  const names = Object.keys(value).slice(0, MAX_ELEMENTS);
  return names.map((name) => ({ keys: [...keys, name], value: value[name], present: true }));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !isUpload(value);
}

/** Builds the result from validated fields. */
export class ResultBuilder {
  readonly #root: Record<string, unknown> = {};
  /** The lists, outer ones first; objects by the sent keys until `result()`. */
  readonly #lists: [holder: Record<string, unknown>, key: string][] = [];

  /** Adds a field that was sent. An empty string counts as not sent unless the field is a text. */
  add(compiled: CompiledField, { keys, value, present }: Field): void {
    const { kind, path } = compiled;
    if (!present || (value === "" && kind !== "text")) return;
    let at = this.#root;
    for (let index = 0; index < keys.length - 1; index++)
      at = this.#branch(at, keys[index] ?? "", path[index + 1] === "*");
    const key = keys[keys.length - 1] ?? "";
    if (kind !== "branch" || value === null) at[key] = converted(value, kind);
    else if (isObject(value)) this.#branch(at, key, compiled.hasElements);
  }

  /** The added fields. */
  result(): Record<string, unknown> {
    for (const [holder, key] of this.#lists.reverse()) holder[key] = Object.values(holder[key] as object);
    return this.#root;
  }

  #branch(at: Record<string, unknown>, key: string, isList: boolean): Record<string, unknown> {
    const known = at[key];
    if (isObject(known)) return known;
    // Keys of lists are the client's: without a prototype, none has a meaning.
    const fresh: Record<string, unknown> = isList ? Object.create(null) : {};
    at[key] = fresh;
    if (isList) this.#lists.push([at, key]);
    return fresh;
  }
}

/** A validated value as its type in the result. */
export function converted(value: unknown, kind: Kind): unknown {
  if (value === null) return null;
  // Adding zero turns -0 into 0.
  if (kind === "integer") return Number(value) + 0;
  if (kind === "boolean") return value === true || value === 1 || value === "1";
  if (kind === "array" && !Array.isArray(value)) return listOf(value as object);
  return value;
}

/**
 * The list that an object stands for, as in BookStack: in the order of its keys, of which those that are no numbers count as 0. Numbers
 * with the same key are ordered by themselves, since keys of an object have no order; other values stay as sent.
 */
function listOf(sent: object): unknown[] {
  const placed = Object.entries(sent).map(([key, value]) => ({
    place: /^-?\d+$/.test(key) ? Number(key) : 0,
    number: typeof value === "number" || typeof value === "string" ? Number(value) || 0 : 0,
    value: value as unknown,
  }));
  return placed.sort((a, b) => a.place - b.place || a.number - b.number).map(({ value }) => value);
}
