/**
 * The engine behind the rules: judges input the way existing clients know it (content-api 2.1). All fields are judged;
 * a field lists every rule it breaks in rule order, but stops at a broken rule of the required family. An empty string
 * meets the required family alone; beyond that, as ours: a string rule with `min` refuses it, and for integers, booleans,
 * arrays and files it counts as not sent. What comes out holds the known fields only, converted (`fields.ts`). Only rules that
 * have to ask somebody are waited for; the rest of a request is judged without a pause.
 */
import { ApiError } from "../errors.ts";
import type { Texts } from "../i18n/catalogue.ts";
import type { InputObject, InputValue } from "../input/body_parsing.ts";
import { isUpload, SNIFF_BYTES, sniff } from "../input/uploads.ts";
import {
  ASYNC_RULES,
  Assembly,
  type Compiled,
  compile,
  converted,
  fieldAt,
  fieldsOf,
  labelOf,
  MAX_ELEMENTS,
  REQUIRED,
  type Rule,
} from "./fields.ts";
import { type Field, isBlank, isRequired, type MessageParams } from "./rule_checks.ts";
import type { Input, Rules } from "./rules.ts";

export { type Input, type ItemSchemas, type RuleList, type Rules, ruleStrings, rules, schemaOf } from "./rules.ts";

/** Questions to the store: the rules `exists:…` and `unique:…` are answered by these. */
export interface Lookups {
  /** Whether a row with this value exists; `args` are the rule's own, such as `["roles", "id"]`. */
  exists?(args: readonly string[], value: InputValue): Promise<boolean>;
  /** Whether no other row has this value. */
  unique?(args: readonly string[], value: InputValue): Promise<boolean>;
}

/** What judging needs beside rules and input. */
export interface ValidateOptions {
  readonly texts: Texts;
  readonly language?: string;
  readonly lookups?: Lookups;
}

/** Judges input by rules. Throws ApiError 422 whose details list every error by field. */
export async function validate<const R extends Rules>(
  spec: R,
  input: InputObject,
  options: ValidateOptions,
): Promise<Input<R>> {
  const errors: Record<string, string[]> = {};
  const kept = new Assembly();
  let isSound = true;
  for (const compiled of compile(spec)) {
    const fields =
      compiled.path.length === 1 ? [fieldAt(input, compiled.field, compiled.label)] : fieldsOf(compiled, input);
    for (const field of fields) {
      const judged = judge(compiled, field, input, options);
      const messages = compiled.isAsync
        ? (await Promise.all(judged)).filter((text) => text !== undefined)
        : (judged as string[]);
      if (messages.length === 0) kept.keep(compiled, field);
      else {
        errors[field.name] = messages;
        isSound = false;
      }
    }
  }
  if (isSound) return kept.result() as Input<R>;
  throw new ApiError(422, options.texts.say("validation.invalid", {}, options.language), { validation: errors });
}

/** The texts of broken rules in rule order; promises only for rules that have to ask. */
function judge(
  compiled: Compiled,
  field: Field,
  input: InputObject,
  options: ValidateOptions,
): (string | Promise<string | undefined>)[] {
  const messages: (string | Promise<string | undefined>)[] = [];
  const blank = isBlank(field);
  for (const rule of compiled.rules) {
    if (REQUIRED.has(rule.name)) {
      const text = requiredError(rule, field, input, options);
      if (text !== undefined) return [...messages, text];
      continue;
    }
    if (!field.present || (field.value === null && compiled.isNullable)) continue;
    if (blank && !(rule.name === "min" && compiled.measuresBlank)) continue;
    if (ASYNC_RULES.has(rule.name)) messages.push(...ask(rule, compiled, field, options, messages.length));
    const error = rule.check?.(field, rule.args, compiled.list);
    if (error) messages.push(say(error.key, field, options, error.params));
  }
  if (compiled.hasElements && isCrowded(field.value))
    messages.push(say("validation.max.array", field, options, { max: MAX_ELEMENTS }));
  return messages;
}

/** Whether more elements were sent than are judged; refused, since the rest would be lost without a word. */
function isCrowded(value: InputValue | undefined): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length > MAX_ELEMENTS;
}

function requiredError(
  { name, args }: Rule,
  field: Field,
  input: InputObject,
  options: ValidateOptions,
): string | undefined {
  if (isRequired(field)) return undefined;
  if (name === "required") return say("validation.required", field, options);
  if (name === "required_if") {
    const [other = "", ...wanted] = args;
    const { value } = fieldAt(input, other);
    if (!wanted.some((word) => matches(value, word))) return undefined;
    return say("validation.required_if", field, options, { other: labelOf(other), value: String(value) });
  }
  const whenSent = name === "required_with";
  if (!args.some((other) => isRequired(fieldAt(input, other)) === whenSent)) return undefined;
  return say(`validation.${name}`, field, options, { values: args.map(labelOf).join(" / ") });
}

/** What needs to be waited for; the store is only asked about a value that nothing else is wrong with. */
function ask(
  { name, args }: Rule,
  { kind }: Compiled,
  field: Field,
  options: ValidateOptions,
  errors: number,
): Promise<string | undefined>[] {
  const value = field.value as InputValue;
  if (name === "mimes")
    return [
      isOfKind(value, args).then((fits) =>
        fits ? undefined : say("validation.mimes", field, options, { values: args.join(", ") }),
      ),
    ];
  const question = name === "exists" || name === "unique" ? options.lookups?.[name] : undefined;
  if (!question || errors > 0) return [];
  const asked = converted(value, kind) as InputValue;
  return [question(args, asked).then((fits) => (fits ? undefined : say(`validation.${name}`, field, options)))];
}

async function isOfKind(value: InputValue, kinds: readonly string[]): Promise<boolean> {
  if (!isUpload(value)) return false;
  const kind = sniff(await value.head(SNIFF_BYTES));
  return kind !== undefined && kinds.includes(kind);
}

function say(key: string, { label }: Field, { texts, language }: ValidateOptions, params: MessageParams = {}): string {
  return texts.say(key, { attribute: label, ...params }, language);
}

/** The words true and false of a rule mean every notation of them. */
function matches(value: InputValue | undefined, wanted: string): boolean {
  if (wanted === "true") return value === true || value === 1 || value === "1";
  if (wanted === "false") return value === false || value === 0 || value === "0";
  return value !== undefined && value !== null && String(value) === wanted;
}
