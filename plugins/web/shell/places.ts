/**
 * The places of screens, to which plugins add parts. Plugins declare places while they are set up; what was added to places that
 * none declares is an error once all plugins are set up.
 */
import type { DrawnFor, PlacePart, Visit } from "lectern/contracts";
import {
  BootError,
  callContribution,
  closestMatch,
  contributorOf,
  type HtmlPart,
  type PlaceName,
  type Places,
} from "lectern/core";
import { drawable } from "./added_parts.ts";
import { currentRecording } from "./recording.ts";
import { MENUS, type ScreenParts } from "./screen_parts.ts";
import { sideOf } from "./views.ts";

/** Such as "page/below". */
const NAME = /^[a-z][a-z0-9_]*(?:\/[a-z][a-z0-9_]*)+$/;

/** The places of one runtime. */
export class ScreenPlaces {
  readonly #names = new Set<string>();
  readonly #parts: ScreenParts;

  constructor(parts: ScreenParts) {
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
  async draw<P extends PlaceName>(at: P, data: Places[P], visit: Visit | DrawnFor): Promise<HtmlPart> {
    this.require(at);
    const recording = currentRecording();
    // The data is that of the part's place, which the compiler does not derive from the name. What says what it follows from needs no more of a visit.
    const drawn = (part: PlacePart, reader: Visit | DrawnFor) =>
      callContribution(part, async ({ draw }) => drawable(await draw(data as never, reader as Visit)), at);
    return Promise.all(
      this.#parts
        .markup(at, visit.ui)
        .map((part) =>
          recording && !recording.covers(part, data)
            ? recording.leave((own) => drawn(part, own.visit))
            : drawn(part, visit),
        ),
    );
  }

  /** Throws an error for a place that is not declared. */
  require(at: string): void {
    if (!this.#names.has(at)) throw new Error(missing(at, this.#names));
  }

  /**
   * Checks that the place of every part is declared, menus and views aside. Throws BootError for the first whose place is misspelt.
   * Others are returned: the plugin that declares their place may be left out.
   */
  check(): { plugin: string | undefined; place: string }[] {
    return this.#parts.all().flatMap((contribution) => {
      const { at } = contribution;
      if (this.#names.has(at) || MENUS.some((menu) => menu === at) || sideOf(at)) return [];
      const plugin = contributorOf(contribution);
      if (closestMatch(at, [...this.#names, ...MENUS]) === undefined) return [{ plugin, place: at }];
      throw new BootError(
        `${plugin === undefined ? "" : `The plugin "${plugin}": `}${missing(at, [...this.#names, ...MENUS])}`,
      );
    });
  }
}

function missing(at: string, known: Iterable<string>): string {
  const near = closestMatch(at, [...known]);
  return `There is no place "${at}" on screens${near === undefined ? "" : `; did you mean "${near}"?`}`;
}
