/** A reference in content; within links its brackets were percent-encoded when the content was stored (platform 8.3). */
const REFERENCE = /(?:\[\[|%5B%5B)bsexport:([a-z]+):(\d{1,10})(?:\]\]|%5D%5D)/gi;
const INCLUDE = /(\{\{@\s?)(\d{1,10})(?=[^\d])/g;
const DRAWING = /(drawio-diagram=["']?)(\d{1,10})/gi;

/** Maps the objects of an archive to what was created from them. */
export class References {
  readonly #created = new Map<string, { readonly id: number; readonly url: string }>();

  /** Records what was created from an object; objects without an id cannot be referred to. */
  add(object: string, id: number | undefined, created: { readonly id: number; readonly url: string }): void {
    if (id !== undefined) this.#created.set(`${object}:${id}`, created);
  }

  /**
   * Replaces references by addresses, and the ids of drawings and included pages, for which archives have no references, by
   * new ids. Unknown ones are kept.
   */
  resolve(text: string): string {
    const withLinks = text.replace(REFERENCE, (whole, object: string, id: string) => {
      return this.#created.get(`${object.toLowerCase()}:${Number(id)}`)?.url ?? whole;
    });
    const withDrawings = withLinks.replace(
      DRAWING,
      (whole, before: string, id: string) => this.#renumbered("image", before, id) ?? whole,
    );
    return withDrawings.replace(
      INCLUDE,
      (whole, before: string, id: string) => this.#renumbered("page", before, id) ?? whole,
    );
  }

  #renumbered(object: string, before: string, id: string): string | undefined {
    const created = this.#created.get(`${object}:${Number(id)}`);
    return created && before + created.id;
  }
}
