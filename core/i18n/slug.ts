/** Slugs: names as parts of addresses (content-api 4.1). */
import { trimChars } from "../std/trim_chars.ts";
import { transliterate } from "./transliterate.ts";

/** Characters of a slug without its suffix. */
const MAX_BASE = 240;
const SUFFIX_LENGTH = 3;
const HEX_LENGTH = 5;
const ALPHANUMERIC = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/**
 * The slug of a name; empty where no character of it can be written in ASCII.
 * @example
 * slugOf("Call the DBA!"); // call-the-dba
 */
export function slugOf(name: string): string {
  const slug = transliterate(name)
    .toLowerCase()
    .replace(/_/g, "-")
    .replace(/@/g, "-at-")
    .replace(/[^a-z0-9\s-]/g, "")
    .replace(/[\s-]+/g, "-");
  return cut(trimChars(slug, "-"));
}

/**
 * A free slug for a name: its own, else with a random suffix; random hex where its own is empty. `isTaken` is called until
 * it returns false; the present slug of the item itself has to count as free.
 * @example
 * const taken = new Set(["plan"]);
 * const slug = await uniqueSlug("Plan", async (candidate) => taken.has(candidate)); // plan-x7Q, say
 */
export async function uniqueSlug(name: string, isTaken: (slug: string) => Promise<boolean>): Promise<string> {
  const own = slugOf(name);
  const base = own === "" ? random("0123456789abcdef", HEX_LENGTH) : own;
  let slug = base;
  while (await isTaken(slug)) slug = `${base}-${random(ALPHANUMERIC, SUFFIX_LENGTH)}`;
  return slug;
}

function cut(slug: string): string {
  if (slug.length <= MAX_BASE) return slug;
  const boundary = slug.lastIndexOf("-", MAX_BASE);
  return slug.slice(0, boundary > 0 ? boundary : MAX_BASE);
}

function random(alphabet: string, length: number): string {
  const values = crypto.getRandomValues(new Uint32Array(length));
  return Array.from(values, (value) => alphabet[value % alphabet.length]).join("");
}
