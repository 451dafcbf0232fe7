/**
 * What plugins add to the screens of others. A screen has places, named in `Places` with the data that is given there; a plugin
 * with screens of its own declares its places by declaration merging and by `Web.places`.
 */
import type { HtmlPart } from "../http/html.ts";
import type { PlaceName, Places } from "../runtime/registry.ts";
import type { Visit } from "./web.ts";

/** Markup that a plugin adds at a place of screens. */
export type ScreenPart = {
  readonly [P in PlaceName]: {
    readonly at: P;
    /** Smaller ones come first; 50 by default. */
    readonly order?: number;
    /** Draws the part; nothing where it returns nothing. `data` is what the place gives, see `Places`. */
    draw(data: Places[P], visit: Visit): Promise<HtmlPart> | HtmlPart;
  };
}[PlaceName];

declare module "../runtime/registry.ts" {
  interface Slots {
    screen_part: ScreenPart;
  }
}
