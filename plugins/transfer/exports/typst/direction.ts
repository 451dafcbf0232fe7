import { attribute, type Element } from "./dom.ts";
import type { Place } from "./place.ts";
import { isRightToLeft } from "./text.ts";

/** The place within an element, which may ask for a direction; "auto" leaves it to the texts again. */
export function asking(element: Element, place: Place): Place {
  const asked = attribute(element, "dir").trim().toLowerCase();
  if (asked === "auto") return { ...place, asked: undefined };
  return asked === "ltr" || asked === "rtl" ? { ...place, asked } : place;
}

/** What is written, set in the direction that is asked for; else from right to left where its text reads so. */
export function directed(text: string, place: Place, write: (inner: Place) => string): string {
  const direction = place.asked ?? (isRightToLeft(text) ? "rtl" : place.direction);
  const written = write({ ...place, direction });
  return direction === place.direction || written === "" ? written : `#[#set text(dir: ${direction});${written}]`;
}

/** The side that lines begin at. */
export function start({ direction }: Place): "left" | "right" {
  return direction === "rtl" ? "right" : "left";
}
