/** An item here that content may link to. */
export interface Target {
  readonly kind: "bookshelf" | "book" | "chapter" | "page";
  /** Its id here. */
  readonly id: number;
  /** Its path below the base URL of this instance. */
  readonly path: string;
}

/** Maps items of the source to their copies here: by address, and pages and files also by id. */
export class TargetMap {
  readonly #items = new Map<string, Target>();
  readonly #pages = new Map<number, Target>();
  readonly #attachments = new Map<number, number>();
  readonly #images = new Map<string, string>();
  readonly #drawings = new Map<number, number>();

  /** Adds an item by its path at the source, such as "/books/runbooks/page/failover", decoded. */
  addItem(sourcePath: string, target: Target): void {
    this.#items.set(sourcePath, target);
  }

  /** Adds a page by its id at the source. */
  addPage(sourceId: number, target: Target): void {
    this.#pages.set(sourceId, target);
  }

  /** Adds an attachment by its id at the source. */
  addAttachment(sourceId: number, targetId: number): void {
    this.#attachments.set(sourceId, targetId);
  }

  /** Adds an image by its path at the source, and by its id, which drawings are referred to by. */
  addImage(sourcePath: string, targetPath: string, ids?: { readonly source: number; readonly target: number }): void {
    this.#images.set(sourcePath, targetPath);
    if (ids) this.#drawings.set(ids.source, ids.target);
  }

  /** The item at a path of the source. */
  item(sourcePath: string): Target | undefined {
    return this.#items.get(sourcePath);
  }

  /** The page with an id at the source. */
  page(sourceId: number): Target | undefined {
    return this.#pages.get(sourceId);
  }

  /** The id here of an attachment of the source. */
  attachment(sourceId: number): number | undefined {
    return this.#attachments.get(sourceId);
  }

  /** The path here of an image of the source. */
  image(sourcePath: string): string | undefined {
    return this.#images.get(sourcePath);
  }

  /** The id here of a drawing of the source. */
  drawing(sourceId: number): number | undefined {
    return this.#drawings.get(sourceId);
  }
}

/** The path of an item, from the slugs in it. */
export function pathOf(kind: Target["kind"], top: string, slug = ""): string {
  const first = encodeURIComponent(top);
  if (kind === "bookshelf") return `/shelves/${first}`;
  return kind === "book" ? `/books/${first}` : `/books/${first}/${kind}/${encodeURIComponent(slug)}`;
}
