/** The JSON schema of the elements of a list, for the OpenAPI document: says what the rules of that field do not. */
export interface ListItemSchema {
  /** The name of the field, in every body that has it. */
  readonly field: string;
  readonly schema: Readonly<Record<string, unknown>>;
}

declare module "../runtime/registry.ts" {
  interface Slots {
    list_item_schema: ListItemSchema;
  }
}
