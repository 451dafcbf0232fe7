/** Quoting for SQL that Kysely cannot say. */

/** An identifier in quotes. */
export function ident(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** A string literal. */
export function literal(text: string): string {
  const escaped = text.replaceAll("'", "''");
  return escaped.includes("\\") ? `E'${escaped.replaceAll("\\", "\\\\")}'` : `'${escaped}'`;
}
