/**
 * Styles that authors gave to single elements, as rules of a style sheet: the policy of documents takes no `style`
 * attributes. Declarations that could end a rule, load something or lift an element out of its place are left out.
 * Colours are chosen by authors on white; where the reader's screen is dark, text becomes light and what lies behind it
 * dark, each in its own hue.
 */

/** Declarations that can stand in a rule without ending it. */
const DECLARATION = /^(-?[a-z][a-z-]*)\s*:\s*([^{}<>;@\\]+)$/i;
/** What loads something, or hides the rest of the sheet. */
const REFUSED = /\/\*|\b(?:url|src|image|image-set|cross-fade|element|expression|attr|var|env)\s*\(/i;
/** What could lay content over the screen around it. */
const LIFTING =
  /^(?:position|z-index|inset.*|top|bottom|left|right|behavior|-moz-binding|view-transition-.*|anchor-.*)$/;
const LIGHT_ON_DARK = { color: "max(l, 0.78)", background: "min(l, 0.35)", "background-color": "min(l, 0.35)" };

/** A style attribute's declarations as they may stand in a rule. */
export function declarationsIn(style: string): readonly (readonly [property: string, value: string])[] {
  return style.split(";").flatMap((each) => {
    const [, property = "", value = ""] = DECLARATION.exec(each.trim()) ?? [];
    const name = property.toLowerCase();
    const isFit = name !== "" && !LIFTING.test(name) && !REFUSED.test(value) && isWhole(value);
    return isFit ? [[name, value.trim()] as const] : [];
  });
}

/** The rules for the element of a number. */
export function rulesFor(number: number, declarations: ReturnType<typeof declarationsIn>): string {
  const at = `.page-content [data-style="${number}"]`;
  const plain = declarations.map(([property, value]) => `${property}:${value}`).join(";");
  const dark = declarations
    .flatMap(([property, value]) => {
      const level = Object.hasOwn(LIGHT_ON_DARK, property) && LIGHT_ON_DARK[property as keyof typeof LIGHT_ON_DARK];
      const colour = value.replace(/\s*!\s*important$/i, "");
      // What is no single colour is no value of this declaration, and the author's own stays.
      return level ? [`${property}:oklch(from ${colour} ${level} c h)${colour === value ? "" : " !important"}`] : [];
    })
    .join(";");
  if (dark === "") return `${at}{${plain}}`;
  return `${at}{${plain}}
@media screen{[data-theme="dark"] ${at}{${dark}}}
@media screen and (prefers-color-scheme:dark){:root:not([data-theme]) ${at}{${dark}}}`;
}

/** Whether quotes and brackets are closed: open ones would swallow what follows in the sheet. */
function isWhole(value: string): boolean {
  const count = (sign: string) => value.split(sign).length - 1;
  return (
    count('"') % 2 === 0 &&
    count("'") % 2 === 0 &&
    count("(") === count(")") &&
    count("[") === count("]") &&
    !value.includes("\n")
  );
}
