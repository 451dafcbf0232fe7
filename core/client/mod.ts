/**
 * A typed client of the API over HTTP, for scripts: the module "lectern/client". Its types are generated from the OpenAPI
 * document when the npm package is made; requests are made by openapi-fetch.
 */
import createFetchClient, { type Client as FetchClient } from "openapi-fetch";
import { trimEndChars } from "../std/trim_chars.ts";
import type { components, paths } from "./api_types.ts";

export type { components, operations, paths } from "./api_types.ts";

/** A named type of the API: `Schema<"Book">`. */
export type Schema<Name extends keyof components["schemas"]> = components["schemas"][Name];

/** A client: `GET`, `POST`, `PUT`, `PATCH` and `DELETE` take a path of the API with its parameters. */
export type Client = FetchClient<paths>;

/** Options of a client. */
export interface ClientOptions {
  /** The URL of the instance, without `/api`. */
  readonly baseUrl: string;
  /** `ID:SECRET`; none for routes that are public or have credentials of their own. */
  readonly token?: string;
  /** Replaces the global `fetch`. */
  readonly fetch?: (request: Request) => Promise<Response>;
}

/**
 * Makes a client. A request resolves to `data` for a success and to `error` for any other answer; it rejects if there is no
 * answer.
 * @example
 * const client = createClient({ baseUrl: "https://docs.example.com", token: "ID:SECRET" });
 * const { data, error } = await client.GET("/api/books/{id}", { params: { path: { id: 1 } } });
 * if (error) throw new Error(JSON.stringify(error));
 * const names = data.contents.map(({ name }) => name);
 */
export function createClient({ baseUrl, token, fetch }: ClientOptions): Client {
  return createFetchClient<paths>({
    baseUrl: trimEndChars(baseUrl, "/"),
    headers: { accept: "application/json", ...(token !== undefined && { authorization: `Token ${token}` }) },
    // A redirect would send the token elsewhere.
    redirect: "manual",
    ...(fetch && { fetch }),
  });
}
