import type { TSchema } from "@sinclair/typebox";
import { deepFreeze, type SlotSpecs } from "lectern/core";

/**
 * The JSON schema of the elements of a list, for the OpenAPI document: says what the rules of that field do not.
 * @example
 * context.contribute("list_item_schema", {
 *   field: "labels",
 *   schema: { type: "object", properties: { name: { type: "string" }, value: { type: "string" } }, required: ["name"] },
 * });
 */
export interface ListItemSchema {
  /** The name of the field, in every body that has it. */
  readonly field: string;
  readonly schema: Readonly<Record<string, unknown>>;
}

/**
 * A way to authenticate, for the OpenAPI document, beside tokens. It only describes: `auth` and `area` of a plugin's context
 * register what authenticates.
 * @example
 * context.contribute("credential_scheme", {
 *   schemes: { noteKey: { type: "apiKey", in: "header", name: "X-Note-Key" } },
 *   prefixes: ["/notes"],
 * });
 */
export interface CredentialScheme {
  /** OpenAPI's security schemes by name; a request needs all of them. */
  readonly schemes: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** The paths below /api that take it instead of a token; without them it is an alternative on all other paths. */
  readonly prefixes?: readonly string[];
  /** The body of errors on these paths, with a name that ends in "Error". */
  readonly error?: TSchema;
}

declare module "lectern/core" {
  interface Slots {
    list_item_schema: ListItemSchema;
    credential_scheme: CredentialScheme;
  }
}

/** What is known of these slots beside their types. */
export const docsSlots = deepFreeze({
  credential_scheme: { members: { schemes: "object", prefixes: "optional_list", error: "optional_object" } },
  list_item_schema: { members: { field: "text", schema: "object" } },
} as const satisfies SlotSpecs);
