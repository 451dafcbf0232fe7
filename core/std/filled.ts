/** A text with its placeholders filled; those without a value stay. */
export function filled(text: string, params: Readonly<Record<string, string | number>>): string {
  if (!text.includes(":")) return text;
  return text.replace(/:([a-z]+)/g, (placeholder, name: string) =>
    Object.hasOwn(params, name) ? String(params[name]) : placeholder,
  );
}
