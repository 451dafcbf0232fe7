import type { Tag } from "lectern/contracts";
import { invalidFields } from "lectern/core";

/** Maximum length of a name and of a value, in characters (content-api 2.4). */
const MAX_LENGTH = 255;

/**
 * Parses the tags of a request: an array, or an object whose values are tags. Entries that are no objects, or whose name
 * is empty or "0", are dropped (content-api 4.3). Throws ApiError 422 with an error for each name and value that is too long.
 */
export function parseTags(sent: unknown): Tag[] {
  const errors: Record<string, string> = {};
  const checkLength = (key: string, field: string, text: string) => {
    if ([...text].length <= MAX_LENGTH) return;
    errors[`tags.${key}.${field}`] = `The tags.${key}.${field} may not be greater than ${MAX_LENGTH} characters.`;
  };
  const tags: Tag[] = [];
  for (const [key, entry] of Object.entries(typeof sent === "object" && sent !== null ? sent : {})) {
    const { name, value } = textsOf(entry);
    if (name === "" || name === "0") continue;
    checkLength(key, "name", name);
    checkLength(key, "value", value);
    tags.push({ name, value, order: 0 });
  }
  if (Object.keys(errors).length > 0) throw invalidFields(errors);
  return tags;
}

function textsOf(entry: unknown): { name: string; value: string } {
  if (typeof entry !== "object" || entry === null) return { name: "", value: "" };
  const { name, value } = entry as { name?: unknown; value?: unknown };
  return { name: textOf(name), value: textOf(value) };
}

/** A string or number as trimmed text; "" for any other value. */
function textOf(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value).trim() : "";
}
