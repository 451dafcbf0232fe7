/** As content has them; inside links the brackets were encoded when the content was stored (platform 8.3). */
const REFERENCE = /(?:\[\[|%5B%5B)bsexport:([a-z]+):(\d{1,10})(?:\]\]|%5D%5D)/gi;
const INCLUDE = /(\{\{@\s?)(\d{1,10})(?=[^\d])/g;
const DRAWING = /(drawio-diagram=["']?)(\d{1,10})/gi;

/** What became of the objects of an archive. */
export class References {
  readonly #found = new Map<string, { readonly id: number; readonly url: string }>();

  /** Records what an object became; one without an id cannot be referred to. */
  add(object: string, id: number | undefined, made: { readonly id: number; readonly url: string }): void {
    if (id !== undefined) this.#found.set(`${object}:${id}`, made);
  }

  /**
   * The text with addresses in place of references; drawings and included pages under their new numbers, which archives
   * have no references for. Others stay as written.
   */
  filled(text: string): string {
    const linked = text.replace(REFERENCE, (whole, object: string, id: string) => {
      return this.#found.get(`${object.toLowerCase()}:${Number(id)}`)?.url ?? whole;
    });
    const drawn = linked.replace(
      DRAWING,
      (whole, before: string, id: string) => this.#renumbered("image", before, id) ?? whole,
    );
    return drawn.replace(INCLUDE, (whole, before: string, id: string) => this.#renumbered("page", before, id) ?? whole);
  }

  #renumbered(object: string, before: string, id: string): string | undefined {
    const made = this.#found.get(`${object}:${Number(id)}`);
    return made && before + made.id;
  }
}
