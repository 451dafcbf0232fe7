import type { Tag } from "lectern/contracts";
import { ApiError } from "lectern/core";

/** Longest name and value in characters (content-api 2.4). */
const MAX_LENGTH = 255;

/**
 * Tags as a request sent them, a list or an object of entries. Entries that are none, or whose name is empty or "0",
 * are dropped (content-api 4.3). Throws ApiError 422 naming each name and value that is too long.
 */
export function readTags(sent: unknown): Tag[] {
  const errors: Record<string, string[]> = {};
  const judge = (key: string, field: string, text: string) => {
    if ([...text].length <= MAX_LENGTH) return;
    errors[`tags.${key}.${field}`] = [`The tags.${key}.${field} may not be greater than ${MAX_LENGTH} characters.`];
  };
  const tags: Tag[] = [];
  for (const [key, entry] of Object.entries(typeof sent === "object" && sent !== null ? sent : {})) {
    const { name, value } = textsOf(entry);
    if (name === "" || name === "0") continue;
    judge(key, "name", name);
    judge(key, "value", value);
    tags.push({ name, value, order: 0 });
  }
  if (Object.keys(errors).length > 0) throw new ApiError(422, "The given data was invalid.", { validation: errors });
  return tags;
}

function textsOf(entry: unknown): { name: string; value: string } {
  if (typeof entry !== "object" || entry === null) return { name: "", value: "" };
  const { name, value } = entry as { name?: unknown; value?: unknown };
  return { name: textOf(name), value: textOf(value) };
}

/** Texts and numbers; whatever else cannot be a tag's text. */
function textOf(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value).trim() : "";
}
