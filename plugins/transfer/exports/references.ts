/**
 * References in portable archives (content-api 15.7): `[[bsexport:page:12]]` replaces the address of what the same archive
 * contains. Addresses are searched for in the text, HTML or Markdown, without parsing it, since they may occur anywhere;
 * addresses of what is not in the archive are kept.
 */
import type { ItemRef } from "lectern/contracts";

/** Matches the rest of an address. */
const ADDRESS = /[^\s<>"'=?#()]*/y;

/** A reference as written into content; `kind` is the kind of an item, "image" or "attachment". */
export function reference({ kind, id }: ItemRef): string {
  return `[[bsexport:${kind}:${id}]]`;
}

/** The distinct addresses of this instance in a text, without query and fragment. */
export function addressesIn(text: string, baseUrl: string): Set<string> {
  const found = new Set<string>();
  for (const { address } of occurrences(text, baseUrl)) found.add(address);
  return found;
}

/** The text with each address replaced by its reference, where `find` returns one. */
export function withReferences(text: string, baseUrl: string, find: (address: string) => ItemRef | undefined): string {
  let result = "";
  let done = 0;
  for (const { address, start } of occurrences(text, baseUrl)) {
    const found = find(address);
    if (!found) continue;
    result += text.slice(done, start) + reference(found);
    done = start + address.length;
  }
  return result + text.slice(done);
}

function* occurrences(text: string, baseUrl: string): Generator<{ address: string; start: number }> {
  for (let start = text.indexOf(baseUrl); start >= 0; start = text.indexOf(baseUrl, start)) {
    let end = start + baseUrl.length;
    if (text[end] === "/") {
      ADDRESS.lastIndex = end;
      end += ADDRESS.exec(text)?.[0].length ?? 0;
      yield { address: text.slice(start, end), start };
    }
    start = end;
  }
}
