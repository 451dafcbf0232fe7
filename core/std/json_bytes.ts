const ENCODER = new TextEncoder();

/**
 * An answer whose JSON is there as text. It is kept as UTF-8, which several answers share.
 * @example
 * const none = new JsonBytes("[]");
 * context.app.get("/notes/all", () => none, {
 *   permit: "access-api",
 *   ...endpoint("notes", "all", { about: "Lists all notes." }),
 * });
 */
export class JsonBytes {
  readonly bytes: Uint8Array<ArrayBuffer>;

  constructor(json: string) {
    this.bytes = ENCODER.encode(json);
  }
}
