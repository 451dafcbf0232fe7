/**
 * The answers of the API, as screens get them, by method and path: the type of each is that of the schema which the route names, added by
 * the plugin of the route. A schema that changes is then an error of the compiler in each screen that reads what is gone.
 */
import type { Static, TSchema } from "lectern/core";

import type { Item, ItemName } from "./items.ts";

/**
 * Answers by path, those of methods other than GET with the method before it, and `${number}` or `${string}` in place of parameters. Plugins
 * add theirs: a path without parameters as a property, any other as an index.
 * @example
 * const noteSchema = t.Object({ id: t.Integer(), text: t.String() }, { $id: "Note" });
 * declare module "lectern/contracts" {
 *   interface Answers {
 *     "POST /api/notes": Static<typeof noteSchema>;
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

/** The answer to a listing of a kind of item, with the fields that other plugins declare in `ItemFields`. */
export interface ItemListing<Kind extends ItemName> {
  readonly data: readonly Item<Kind, "listed">[];
  readonly total: number;
}

/** A path of `Answers` that a GET is answered at, with or without a query string. */
export type AnswerPath = WithQuery<Extract<keyof Answers, `/${string}`>>;

type WithQuery<Path extends string> = Path | `${Path}?${string}`;

/** The answer to a GET of a path. */
export type AnswerTo<Path extends AnswerPath> = AnswerAt<Path>;

/** The answer to a change; unknown where the route answers none, or `Answers` has none of this method and path. */
export type ChangeAnswer<Method extends string, Path extends string> = AnswerAt<`${Method} ${Path}`>;

/**
 * Of the union of several keys, the union of their answers; unknown where there is none. The query string is taken off the key: to add one to
 * all keys of `Answers` would make the compiler compare each pair of them.
 */
type AnswerAt<Key extends string> = Key extends keyof Answers
  ? Answers[Key]
  : Key extends `${infer Plain}?${string}`
    ? Plain extends keyof Answers
      ? Answers[Plain]
      : unknown
    : unknown;

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
