/** A JSON object of a document. */
export type Json = Record<string, unknown>;
