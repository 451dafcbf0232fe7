/**
 * An answer whose JSON is there as text. It is kept as UTF-8 in a Blob, which Bun sends without a copy, so several answers can share it.
 * @example
 * const none = new JsonBytes("[]");
 * context.app.get("/notes/all", () => none, {
 *   permit: "access-api",
 *   ...endpoint("notes", "all", { about: "Lists all notes." }),
 * });
 */
export class JsonBytes {
  readonly blob: Blob;

  constructor(json: string) {
    this.blob = new Blob([json]);
  }
}
