/**
 * Validates input by rules as existing clients know it (content-api 2.1). A field lists every broken rule in order, and
 * stops at a broken rule of the required family. An empty string is checked by that family alone, except that `min` applies
 * to texts; for integers, booleans, arrays and files it counts as not sent. The result has the known fields, converted
 * (`fields.ts`). Only asynchronous rules are awaited.
 */
import { ApiError } from "../errors.ts";
import type { Texts } from "../i18n/catalogue.ts";
import type { InputObject, InputValue } from "../input/body_parsing.ts";
import { isUpload, SNIFF_BYTES, sniff } from "../input/uploads.ts";
import {
  ASYNC_RULES,
  type CompiledField,
  compile,
  converted,
  fieldAt,
  fieldsOf,
  labelOf,
  MAX_ELEMENTS,
  REQUIRED,
  ResultBuilder,
  type Rule,
} from "./fields.ts";
import { type Field, isBlank, isRequired, type MessageParams } from "./rule_checks.ts";
import type { Input, Rules } from "./rules.ts";

export { type ItemSchemas, schemaOf } from "./rule_schema.ts";
export { type Input, type RuleList, type Rules, ruleStrings, rules } from "./rules.ts";

/** Queries of the rules `exists:…` and `unique:…`. */
export interface Lookups {
  /** Whether a row with this value exists; `args` are those of the rule, such as `["roles", "id"]`. */
  exists?(args: readonly string[], value: InputValue): Promise<boolean>;
  /** Whether no other row has this value. */
  unique?(args: readonly string[], value: InputValue): Promise<boolean>;
}

/** Options of a validation. */
export interface ValidateOptions {
  readonly texts: Texts;
  readonly language?: string;
  readonly lookups?: Lookups;
}

/** Validates input. Throws ApiError 422 whose details list every error by field. */
export async function validate<const R extends Rules>(
  spec: R,
  input: InputObject,
  options: ValidateOptions,
): Promise<Input<R>> {
  const errors: Record<string, string[]> = {};
  const result = new ResultBuilder();
  let isValid = true;
  for (const compiled of compile(spec)) {
    const fields =
      compiled.path.length === 1 ? [fieldAt(input, compiled.field, compiled.label)] : fieldsOf(compiled, input);
    for (const field of fields) {
      const checked = check(compiled, field, input, options);
      const messages = compiled.isAsync
        ? (await Promise.all(checked)).filter((text) => text !== undefined)
        : (checked as string[]);
      if (messages.length === 0) result.add(compiled, field);
      else {
        errors[field.name] = messages;
        isValid = false;
      }
    }
  }
  if (isValid) return result.result() as Input<R>;
  throw new ApiError(422, options.texts.say("validation.invalid", {}, options.language), { validation: errors });
}

/** The messages of broken rules in rule order; promises for asynchronous rules. */
function check(
  compiled: CompiledField,
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
    if (ASYNC_RULES.has(rule.name)) messages.push(...checkAsync(rule, compiled, field, options, messages.length));
    const error = rule.check?.(field, rule.args, compiled.list);
    if (error) messages.push(say(error.key, field, options, error.params));
  }
  if (compiled.hasElements && hasTooMany(field.value))
    messages.push(say("validation.max.array", field, options, { max: MAX_ELEMENTS }));
  return messages;
}

/** Whether more elements were sent than are validated; an error, since the rest would be dropped silently. */
function hasTooMany(value: InputValue | undefined): boolean {
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

/** The checks that are awaited; the store is queried only for a value without other errors. */
function checkAsync(
  { name, args }: Rule,
  { kind }: CompiledField,
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
  const lookup = name === "exists" || name === "unique" ? options.lookups?.[name] : undefined;
  if (!lookup || errors > 0) return [];
  return [
    lookup(args, converted(value, kind) as InputValue).then((fits) =>
      fits ? undefined : say(`validation.${name}`, field, options),
    ),
  ];
}

async function isOfKind(value: InputValue, kinds: readonly string[]): Promise<boolean> {
  if (!isUpload(value)) return false;
  const kind = sniff(await value.head(SNIFF_BYTES));
  return kind !== undefined && kinds.includes(kind);
}

function say(key: string, { label }: Field, { texts, language }: ValidateOptions, params: MessageParams = {}): string {
  return texts.say(key, { attribute: label, ...params }, language);
}

/** Whether a value is that of a rule; "true" and "false" match every notation. */
function matches(value: InputValue | undefined, wanted: string): boolean {
  if (wanted === "true") return value === true || value === 1 || value === "1";
  if (wanted === "false") return value === false || value === 0 || value === "0";
  return value !== undefined && value !== null && String(value) === wanted;
}
