/**
 * The places of screens, to which plugins add parts. Plugins declare places while they are set up; what was added to places that
 * none declares is an error once all plugins are set up.
 */
import type { ScreenPart, Visit } from "lectern/contracts";
import { BootError, closestMatch, type HtmlPart, type PlaceName, type Places } from "lectern/core";

/** Such as "page/below". */
const NAME = /^[a-z][a-z0-9_]*(?:\/[a-z][a-z0-9_]*)+$/;
const DEFAULT_ORDER = 50;

/** The places of one runtime. */
export class ScreenPlaces {
  readonly #names = new Set<string>();
  readonly #parts: () => readonly ScreenPart[];

  /** `parts` returns what is drawn at places; complete once the runtime has booted. */
  constructor(parts: () => readonly ScreenPart[]) {
    this.#parts = parts;
  }

  /** Declares places. Throws for a name that is declared already. */
  add(names: readonly PlaceName[]): void {
    for (const name of names) {
      if (!NAME.test(name)) throw new Error(`Cannot name a place "${name}": expected a name such as "recipe/below"`);
      if (this.#names.has(name)) throw new Error(`Cannot name a place "${name}": it exists already`);
      this.#names.add(name);
    }
  }

  /** Draws the parts at a place, in their order. */
  async draw<P extends PlaceName>(at: P, data: Places[P], visit: Visit): Promise<HtmlPart> {
    this.require(at);
    const parts = inOrder(this.#parts().filter((part) => part.at === at));
    // The data is that of the part's place, which the compiler does not derive from the comparison.
    return Promise.all(parts.map(async (part) => part.draw(data as never, visit)));
  }

  /** Throws an error for a place that is not declared. */
  require(at: string): void {
    if (!this.#names.has(at)) throw new Error(missing(at, this.#names));
  }

  /** Checks that the place of every contribution is declared. Throws BootError for the first that is not. */
  check(contributions: readonly { readonly at: string }[]): void {
    for (const { at } of contributions) if (!this.#names.has(at)) throw new BootError(missing(at, this.#names));
  }
}

/** Contributions by their `order`, those of the same order in boot order. */
export function inOrder<Each extends { readonly order?: number }>(contributions: readonly Each[]): Each[] {
  return contributions.toSorted((a, b) => (a.order ?? DEFAULT_ORDER) - (b.order ?? DEFAULT_ORDER));
}

function missing(at: string, known: Iterable<string>): string {
  const near = closestMatch(at, [...known]);
  return `There is no place "${at}" on screens${near === undefined ? "" : `; did you mean "${near}"?`}`;
}
