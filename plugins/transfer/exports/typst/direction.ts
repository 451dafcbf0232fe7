import { attribute, type Element } from "./dom.ts";
import type { LayoutContext } from "./layout.ts";
import { isRightToLeft } from "./text.ts";

/** The context within an element, whose `dir` attribute may request a direction; "auto" lets each text decide again. */
export function withDirection(element: Element, layout: LayoutContext): LayoutContext {
  const requested = attribute(element, "dir").trim().toLowerCase();
  if (requested === "auto") return { ...layout, requested: undefined };
  return requested === "ltr" || requested === "rtl" ? { ...layout, requested } : layout;
}

/** Renders in the requested direction, else in that of the text. */
export function inDirection(text: string, layout: LayoutContext, render: (inner: LayoutContext) => string): string {
  const direction = layout.requested ?? (isRightToLeft(text) ? "rtl" : layout.direction);
  const output = render({ ...layout, direction });
  return direction === layout.direction || output === "" ? output : `#[#set text(dir: ${direction});${output}]`;
}

/** The side at which lines begin. */
export function start({ direction }: LayoutContext): "left" | "right" {
  return direction === "rtl" ? "right" : "left";
}
