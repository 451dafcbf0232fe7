/**
 * The places of screens, to which plugins add parts. Plugins declare places while they are set up; what was added to places that
 * none declares is an error once all plugins are set up.
 */
import type { ScreenPart, Visit } from "lectern/contracts";
import {
  BootError,
  callContributions,
  closestMatch,
  contributorOf,
  type HtmlPart,
  type PlaceName,
  type Places,
} from "lectern/core";
import { drawable } from "./added_parts.ts";

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
    return callContributions(
      parts,
      async (part) => drawable(await part.draw(data as never, visit)),
      () => at,
    );
  }

  /** Throws an error for a place that is not declared. */
  require(at: string): void {
    if (!this.#names.has(at)) throw new Error(missing(at, this.#names));
  }

  /**
   * Checks that the place of every contribution is declared. Throws BootError for the first whose place is misspelt. Others are
   * returned: the plugin that declares their place may be left out.
   */
  check(contributions: readonly { readonly at: string }[]): { plugin: string | undefined; place: string }[] {
    return contributions.flatMap((contribution) => {
      const { at } = contribution;
      if (this.#names.has(at)) return [];
      const plugin = contributorOf(contribution);
      if (closestMatch(at, [...this.#names]) === undefined) return [{ plugin, place: at }];
      throw new BootError(`${plugin === undefined ? "" : `The plugin "${plugin}": `}${missing(at, this.#names)}`);
    });
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
