/**
 * The answers of the API, as screens get them. Those to a GET have types by path: each is that of the schema which the route names, added by
 * the plugin of the route. A schema that changes is then an error of the compiler in each screen that reads what is gone.
 */
import type { Static, TSchema } from "lectern/core";

/**
 * Answers by path, with `${number}` and `${string}` in place of parameters. Plugins add theirs: a path without parameters as a property,
 * any other as an index.
 * @example
 * const noteSchema = t.Object({ id: t.Integer(), text: t.String() }, { $id: "Note" });
 * declare module "lectern/contracts" {
 *   interface Answers {
 *     [note: `/api/notes/${number}`]: Static<typeof noteSchema>;
 *   }
 * }
 */
export interface Answers {}

/** The answer to a listing of a resource, by the schema of its items. */
export interface ListingOf<Item extends TSchema> {
  readonly data: readonly Static<Item>[];
  readonly total: number;
}

/** A path of `Answers`, with or without a query string. */
export type AnswerPath = (keyof Answers & string) | `${keyof Answers & string}?${string}`;

/** The answer to a GET of a path. */
export type AnswerTo<Path extends AnswerPath> = Path extends keyof Answers
  ? Answers[Path]
  : Path extends `${infer Plain}?${string}`
    ? Plain extends keyof Answers
      ? Answers[Plain]
      : never
    : never;

/** The answer of the API to a form. */
export type SubmitResult<T> =
  | { readonly ok: true; readonly body: T }
  | {
      readonly ok: false;
      readonly status: number;
      readonly message: string;
      /** Validation errors by field. */
      readonly errors: Readonly<Record<string, readonly string[]>>;
    };
