/** Text as an expression of Typst within markup. Nothing in it can become markup or code. */
export function literal(text: string): string {
  return text === "" ? "" : `#${quoted(text)};`;
}

/** Text as a string of Typst's code. */
export function quoted(text: string): string {
  const clean = text.toWellFormed().replace(/(?![\n\t])\p{Cc}/gu, "");
  return `"${clean.replace(/\\/g, "\\\\").replace(/"/g, '\\"').replace(/\n/g, "\\n").replace(/\t/g, "\\t")}"`;
}

/** Whether text is read from right to left: its first letter with a direction says. */
export function isRightToLeft(text: string): boolean {
  const strong = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]|\p{L}/u.exec(
    text,
  );
  return (
    strong !== null &&
    /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u.test(strong[0])
  );
}

/** A colour of a style as Typst has it; undefined for what is none of the common notations. */
export function colour(css: string): string | undefined {
  const text = css.trim().toLowerCase();
  const hex = /^#([0-9a-f]{3}|[0-9a-f]{6})$/.exec(text)?.[1];
  if (hex) return `rgb("#${hex}")`;
  const parts = /^rgba?\(\s*(\d{1,3})[\s,]+(\d{1,3})[\s,]+(\d{1,3})/.exec(text)?.slice(1).map(Number);
  return parts?.every((part) => part <= 255) ? `rgb(${parts.join(", ")})` : undefined;
}
