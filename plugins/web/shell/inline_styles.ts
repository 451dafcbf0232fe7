/**
 * Converts style attributes to rules of a style sheet, as the Content-Security-Policy blocks the attributes. Declarations that could end a
 * rule, load a resource or move an element over the screen are dropped. Authors choose colours for a white background; in dark
 * mode, text colours become lighter and background colours darker, each in its hue.
 */

/** A declaration that cannot end its rule. */
const DECLARATION = /^(-?[a-z][a-z-]*)\s*:\s*([^\s{}<>;@\\][^{}<>;@\\]*)$/i;
/** Values that load a resource, and comments, which could hide the rest of the sheet. */
const FORBIDDEN_VALUE = /\/\*|\b(?:url|src|image|image-set|cross-fade|element|expression|attr|var|env)\s*\(/i;
/** Properties that could move content over the screen. */
const FORBIDDEN_PROPERTY =
  /^(?:position|z-index|inset.*|top|bottom|left|right|behavior|-moz-binding|view-transition-.*|anchor-.*)$/;
const LIGHT_ON_DARK = { color: "max(l, 0.78)", background: "min(l, 0.35)", "background-color": "min(l, 0.35)" };

/** The allowed declarations of a style attribute. */
export function declarationsIn(style: string): readonly (readonly [property: string, value: string])[] {
  return style.split(";").flatMap((each) => {
    const [, property = "", value = ""] = DECLARATION.exec(each.trim()) ?? [];
    const name = property.toLowerCase();
    const isAllowed =
      name !== "" && !FORBIDDEN_PROPERTY.test(name) && !FORBIDDEN_VALUE.test(value) && isBalanced(value);
    return isAllowed ? [[name, value.trim()] as const] : [];
  });
}

/** The rules for the element with a number. */
export function rulesFor(number: number, declarations: ReturnType<typeof declarationsIn>): string {
  const at = `.page-content [data-style="${number}"]`;
  const plain = declarations.map(([property, value]) => `${property}:${value}`).join(";");
  const dark = declarations
    .flatMap(([property, value]) => {
      const level = Object.hasOwn(LIGHT_ON_DARK, property) && LIGHT_ON_DARK[property as keyof typeof LIGHT_ON_DARK];
      const colour = value.replace(/!\s*important$/i, "").trimEnd();
      // Browsers ignore the declaration where the value is not a single colour, and keep the author's.
      return level ? [`${property}:oklch(from ${colour} ${level} c h)${colour === value ? "" : " !important"}`] : [];
    })
    .join(";");
  if (dark === "") return `${at}{${plain}}`;
  return `${at}{${plain}}
@media screen{[data-theme="dark"] ${at}{${dark}}}
@media screen and (prefers-color-scheme:dark){:root:not([data-theme]) ${at}{${dark}}}`;
}

/** Whether quotes and brackets are balanced: open ones would include what follows in the sheet. */
function isBalanced(value: string): boolean {
  const count = (sign: string) => value.split(sign).length - 1;
  return (
    count('"') % 2 === 0 &&
    count("'") % 2 === 0 &&
    count("(") === count(")") &&
    count("[") === count("]") &&
    !value.includes("\n")
  );
}
