import type { paths } from "./api_types.d.ts";

/** A path of the API with values in place of its parameters: ids are numbers. */
type Filled<Path extends string> = Path extends `${infer Before}{${infer Name}}${infer After}`
  ? `${Before}${Name extends "id" | `${string}Id` ? number : string}${Filled<After>}`
  : Path;

type Success<Operation> = Operation extends { responses: { 200: { content: { "application/json": infer Body } } } }
  ? Body
  : never;

type Answers<Method extends string> = {
  [Path in keyof paths as Filled<Path & string>]: paths[Path] extends { [M in Method]: infer Operation }
    ? Success<Operation>
    : never;
};

type WithoutQuery<Path extends string> = Path extends `${infer Plain}?${string}` ? Plain : Path;

/**
 * The body of the answer to a request by its path: `AnswerTo<"get", "/api/books?count=1">`. `Other` where the path is not
 * known to the compiler.
 */
export type AnswerTo<Method extends "get" | "put" | "post", Path extends string, Other> =
  WithoutQuery<Path> extends keyof Answers<Method> ? Answers<Method>[WithoutQuery<Path>] : Other;
