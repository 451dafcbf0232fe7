/**
 * The API as the client knows it in a copy of the repository: any path and any answer. The npm package has the types of the OpenAPI
 * document in place of these, which are made when it is packed (`.ci/client_types.ts`).
 */

// biome-ignore lint/suspicious/noExplicitAny: the answers are not known here, and a script may read them
type Any = { readonly content: { readonly "application/json": any } };

interface Operation {
  readonly parameters: {
    readonly query?: Readonly<Record<string, unknown>>;
    readonly path?: Readonly<Record<string, string | number>>;
  };
  readonly requestBody?: Any;
  readonly responses: { readonly 200: Any; readonly default: Any };
}

/** Paths of the API, with their methods. */
export type paths = Readonly<Record<string, Readonly<Record<"get" | "post" | "put" | "patch" | "delete", Operation>>>>;

/** Named parts of the document. */
export interface components {
  readonly schemas: Readonly<Record<string, Any["content"]["application/json"]>>;
}

/** Operations by name. */
export type operations = Readonly<Record<string, Operation>>;
