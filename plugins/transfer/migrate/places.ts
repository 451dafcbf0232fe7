/** An item here that content may lead to. */
export interface Place {
  readonly kind: "bookshelf" | "book" | "chapter" | "page";
  /** Its id here. */
  readonly id: number;
  /** Its address below this instance's own. */
  readonly path: string;
}

/** Where the things of the source are here: by the address they have there, pages and files by number too. */
export class Places {
  readonly #items = new Map<string, Place>();
  readonly #pages = new Map<number, Place>();
  readonly #attachments = new Map<number, number>();
  readonly #pictures = new Map<string, string>();
  readonly #drawings = new Map<number, number>();

  /** An item with its address at the source, decoded, such as "/books/runbooks/page/failover". */
  addItem(sourcePath: string, place: Place): void {
    this.#items.set(sourcePath, place);
  }

  /** A page by its number at the source. */
  addPage(sourceId: number, place: Place): void {
    this.#pages.set(sourceId, place);
  }

  /** An attachment: its number there and here. */
  addAttachment(sourceId: number, ownId: number): void {
    this.#attachments.set(sourceId, ownId);
  }

  /** A picture: its path there and here, and its number, by which drawings are named. */
  addPicture(sourcePath: string, ownPath: string, numbers?: { readonly source: number; readonly own: number }): void {
    this.#pictures.set(sourcePath, ownPath);
    if (numbers) this.#drawings.set(numbers.source, numbers.own);
  }

  /** The item at an address of the source. */
  item(sourcePath: string): Place | undefined {
    return this.#items.get(sourcePath);
  }

  /** The page of a number at the source. */
  page(sourceId: number): Place | undefined {
    return this.#pages.get(sourceId);
  }

  /** The number here of an attachment of the source. */
  attachment(sourceId: number): number | undefined {
    return this.#attachments.get(sourceId);
  }

  /** The path here of a picture of the source. */
  picture(sourcePath: string): string | undefined {
    return this.#pictures.get(sourcePath);
  }

  /** The number here of a drawing of the source. */
  drawing(sourceId: number): number | undefined {
    return this.#drawings.get(sourceId);
  }
}

/** The address of an item, given the slugs in it. */
export function pathOf(kind: Place["kind"], top: string, slug = ""): string {
  const first = encodeURIComponent(top);
  if (kind === "bookshelf") return `/shelves/${first}`;
  return kind === "book" ? `/books/${first}` : `/books/${first}/${kind}/${encodeURIComponent(slug)}`;
}
