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
