/** Text as a Typst string expression within markup; nothing in it is interpreted as markup or code. */
export function literal(text: string): string {
  return text === "" ? "" : `#${quoted(text)};`;
}

/** Text as a Typst string literal in code. */
export function quoted(text: string): string {
  const clean = text.toWellFormed().replace(/(?![\n\t])\p{Cc}/gu, "");
  return `"${clean.replace(/\\/g, "\\\\").replace(/"/g, '\\"').replace(/\n/g, "\\n").replace(/\t/g, "\\t")}"`;
}

/** Whether text is read from right to left, by its first letter with a direction. */
export function isRightToLeft(text: string): boolean {
  const strong = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]|\p{L}/u.exec(
    text,
  );
  return (
    strong !== null &&
    /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u.test(strong[0])
  );
}

/** A CSS colour as Typst; undefined for anything but hexadecimal and `rgb()` notation. */
export function colour(css: string): string | undefined {
  const text = css.trim().toLowerCase();
  const hex = /^#([0-9a-f]{3}|[0-9a-f]{6})$/.exec(text)?.[1];
  if (hex) return `rgb("#${hex}")`;
  const parts = /^rgba?\(\s*(\d{1,3})[\s,]+(\d{1,3})[\s,]+(\d{1,3})/.exec(text)?.slice(1).map(Number);
  return parts?.every((part) => part <= 255) ? `rgb(${parts.join(", ")})` : undefined;
}
