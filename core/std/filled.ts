/** A text with its placeholders filled; those without a value stay. Numbers are written by `write`. */
export function filled(
  text: string,
  params: Readonly<Record<string, string | number>>,
  write: (value: number) => string = String,
): string {
  if (!text.includes(":")) return text;
  return text.replace(/:([a-z]+)/g, (placeholder, name: string) => {
    if (!Object.hasOwn(params, name)) return placeholder;
    const value = params[name];
    return typeof value === "number" ? write(value) : String(value);
  });
}
