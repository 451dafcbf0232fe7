/**
 * The engine behind the rules: judges input the way existing clients know it (content-api 2.1). All fields are judged;
 * a field lists every rule it breaks in rule order, but stops at a broken rule of the required family. An empty string
 * meets the required family alone; beyond that, as ours: a string rule with `min` refuses it, and for integers, arrays
 * and pictures it counts as not sent. What comes out holds the known fields only, integers and booleans converted.
 */

import { type Checks, type Field, isBlank, isRequired, type Judge, judgeOf } from "./checks.ts";
import { ApiError } from "./errors.ts";
import type { InputObject, InputValue } from "./input.ts";
import type { Input, RuleList, Rules } from "./rules.ts";
import type { Texts } from "./texts.ts";
import { isUpload, SNIFF_BYTES, sniff } from "./upload.ts";

export { type Input, type RuleList, type Rules, ruleStrings, rules, schemaOf } from "./rules.ts";

/** Questions to the store: the rules `exists:…` and `unique:…` are answered by these. */
export interface Lookups {
  /** Whether a row with this value exists; `args` are the rule's own, such as `["roles", "id"]`. */
  exists?(args: readonly string[], value: InputValue): Promise<boolean>;
  /** Whether no other row has this value. */
  unique?(args: readonly string[], value: InputValue): Promise<boolean>;
}

/** What judging needs beside rules and input. */
export interface ValidOptions {
  readonly texts: Texts;
  readonly language?: string;
  readonly lookups?: Lookups;
}

const REQUIRED = new Set(["required", "required_without", "required_with", "required_if"]);
const ASKING = new Set(["exists", "unique", "mimes"]);
/** A nested field of more elements than this is cut off: each costs messages. */
const MAX_ELEMENTS = 10_000;

interface Rule {
  readonly name: string;
  readonly args: readonly string[];
  readonly judge: Judge | undefined;
}

interface Compiled {
  readonly field: string;
  readonly path: readonly string[];
  readonly list: RuleList;
  readonly rules: readonly Rule[];
  readonly isNullable: boolean;
  readonly asks: boolean;
}

const COMPILED = new WeakMap<Rules, readonly Compiled[]>();

/** Judges input by rules. Throws ApiError 422 whose details list every fault by field. */
export async function valid<const R extends Rules>(
  spec: R,
  input: InputObject,
  options: ValidOptions,
): Promise<Input<R>> {
  const faults: Record<string, string[]> = {};
  const result: Record<string, unknown> = {};
  for (const compiled of compile(spec)) {
    for (const field of fieldsOf(compiled, input)) {
      const judged = judge(compiled, field, input, options);
      const messages = compiled.asks
        ? (await Promise.all(judged)).filter((text) => text !== undefined)
        : (judged as string[]);
      if (messages.length > 0) faults[field.name] = messages;
      else keep(result, compiled, field);
    }
  }
  if (Object.keys(faults).length === 0) return result as Input<R>;
  throw new ApiError(422, options.texts.say("validation.invalid", {}, options.language), { validation: faults });
}

function compile(spec: Rules): readonly Compiled[] {
  const known = COMPILED.get(spec);
  if (known) return known;
  const compiled = Object.entries(spec).map(([field, list]): Compiled => {
    const parsed = list.map((rule): Rule => {
      const [name = "", args] = rule.split(/:(.*)/s);
      return { name, args: args === undefined ? [] : args.split(","), judge: judgeOf(name) };
    });
    const odd = parsed.find(
      ({ name, judge: known }) => !known && !REQUIRED.has(name) && !ASKING.has(name) && name !== "nullable",
    );
    if (odd) throw new Error(`Cannot read the rules of "${field}": there is no rule "${odd.name}"`);
    return {
      field,
      list,
      path: field.split("."),
      rules: parsed,
      isNullable: list.includes("nullable"),
      asks: parsed.some(({ name }) => ASKING.has(name)),
    };
  });
  COMPILED.set(spec, compiled);
  return compiled;
}

/** The fields a name with stars stands for; plain names stand for themselves, sent or not. */
function fieldsOf({ field, path }: Compiled, input: InputObject): Field[] {
  if (path.length === 1)
    return [
      {
        name: field,
        keys: path,
        value: own(input, field),
        present: Object.hasOwn(input, field),
        label: field.replaceAll("_", " "),
      },
    ];
  type Place = { keys: string[]; value: unknown; present: boolean };
  let at: Place[] = [{ keys: [], value: input, present: true }];
  for (const part of path) {
    at = at.flatMap(({ keys, value }): Place[] => {
      if (part !== "*")
        return [
          { keys: [...keys, part], value: own(value, part), present: isObject(value) && Object.hasOwn(value, part) },
        ];
      if (!isObject(value)) return [];
      return Object.entries(value)
        .slice(0, MAX_ELEMENTS)
        .map(([key, item]) => ({ keys: [...keys, key], value: item, present: true }));
    });
  }
  const isExpanded = path.includes("*");
  return at.map(({ keys, value, present }) => {
    const name = keys.join(".");
    return {
      name,
      keys,
      value: value as InputValue | undefined,
      present,
      label: isExpanded ? name : name.replaceAll("_", " "),
    };
  });
}

/** The texts of broken rules in rule order; promises only for rules that have to ask. */
function judge(
  { rules, list, isNullable }: Compiled,
  field: Field,
  input: InputObject,
  options: ValidOptions,
): (string | Promise<string | undefined>)[] {
  const messages: (string | Promise<string | undefined>)[] = [];
  const blank = isBlank(field);
  for (const rule of rules) {
    if (REQUIRED.has(rule.name)) {
      const text = requiredFault(rule, field, input, options);
      if (text !== undefined) return [...messages, text];
      continue;
    }
    if (!field.present || (field.value === null && isNullable)) continue;
    if (ASKING.has(rule.name) && !blank) messages.push(...ask(rule, field, options, messages.length));
    if (!rule.judge) continue;
    if (blank && !(rule.name === "min" && list.includes("string") && !list.includes("array"))) continue;
    const fault = rule.judge(field, rule.args, list);
    if (fault) messages.push(say(fault.key, field, options, fault.params));
  }
  return messages;
}

function requiredFault(
  { name, args }: Rule,
  field: Field,
  input: InputObject,
  options: ValidOptions,
): string | undefined {
  if (isRequired(field)) return undefined;
  const [other = "", wanted = ""] = args;
  const sent = at(input, other);
  const label = other.replaceAll("_", " ");
  if (name === "required") return say("validation.required", field, options);
  if (name === "required_without" && !isRequired(sent))
    return say("validation.required_without", field, options, { values: label });
  if (name === "required_with" && isRequired(sent))
    return say("validation.required_with", field, options, { values: label });
  if (name === "required_if" && matches(sent.value, wanted))
    return say("validation.required_if", field, options, { other: label, value: wanted });
  return undefined;
}

/** What needs to be waited for; the store is only asked about a value that nothing else is wrong with. */
function ask({ name, args }: Rule, field: Field, options: ValidOptions, faults: number): Promise<string | undefined>[] {
  const value = field.value as InputValue;
  if (name === "mimes")
    return [
      isOfKind(value, args).then((fits) =>
        fits ? undefined : say("validation.mimes", field, options, { values: args.join(", ") }),
      ),
    ];
  const question = name === "exists" || name === "unique" ? options.lookups?.[name] : undefined;
  if (!question || faults > 0) return [];
  return [question(args, value).then((fits) => (fits ? undefined : say(`validation.${name}`, field, options)))];
}

async function isOfKind(value: InputValue, kinds: readonly string[]): Promise<boolean> {
  if (!isUpload(value)) return false;
  const kind = sniff(await value.head(SNIFF_BYTES));
  return kind !== undefined && kinds.includes(kind);
}

function say(key: string, { label }: Field, { texts, language }: ValidOptions, params: Checks = {}): string {
  return texts.say(key, { attribute: label, ...params }, language);
}

function keep(result: Record<string, unknown>, { list }: Compiled, { keys, value, present }: Field): void {
  if (!present) return;
  const isTyped = list.some(
    (rule) => rule === "integer" || rule === "int" || rule === "array" || rule === "image_extension",
  );
  if (value === "" && isTyped) return;
  let at = result;
  for (const key of keys.slice(0, -1)) {
    const inner = at[key];
    const copy = Array.isArray(inner) ? [...inner] : { ...(isObject(inner) ? inner : {}) };
    at[key] = copy;
    at = copy as Record<string, unknown>;
  }
  at[keys.at(-1) as string] = converted(value, list);
}

function converted(value: unknown, list: RuleList): unknown {
  if (value === null) return null;
  if (list.includes("integer") || list.includes("int")) return Number(value);
  if (list.includes("boolean")) return value === true || value === 1 || value === "1";
  return value;
}

function at(input: InputObject, name: string): Field {
  const keys = name.split(".");
  let value: unknown = input;
  let present = true;
  for (const key of keys) {
    present = isObject(value) && Object.hasOwn(value, key);
    value = own(value, key);
  }
  return { name, keys, value: value as InputValue | undefined, present, label: name };
}

function own(value: unknown, key: string): InputValue | undefined {
  return isObject(value) && Object.hasOwn(value, key) ? (value as Record<string, InputValue>)[key] : undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !isUpload(value);
}

/** The words true and false of a rule mean every notation of them. */
function matches(value: InputValue | undefined, wanted: string): boolean {
  if (wanted === "true") return value === true || value === 1 || value === "1";
  if (wanted === "false") return value === false || value === 0 || value === "0";
  return value !== undefined && value !== null && String(value) === wanted;
}
