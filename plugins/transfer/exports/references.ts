/**
 * References in portable archives (content-api 15.7): `[[bsexport:page:12]]` replaces the address of what the same archive
 * contains. Addresses are searched for in the text, HTML or Markdown, without parsing it, since they may occur anywhere;
 * addresses of what is not in the archive are kept.
 */
import type { ItemRef } from "lectern/contracts";
import { trimEndChars } from "lectern/core";

/** An address without a host in a link, with what stands before it. */
const LINKED_PATH = /((?:href=["']?|\]\()<?)(\/[^\s<>"'=?#()]*)/g;
/** Matches the rest of an address. */
const ADDRESS = /[^\s<>"'=?#()]*/y;

/** A reference as written into content; `kind` is the kind of an item, "image" or "attachment". */
export function reference({ kind, id }: ItemRef): string {
  return `[[bsexport:${kind}:${id}]]`;
}

/** The address of a page that stays when the page moves. */
export function permalink(baseUrl: string, pageId: number): string {
  return `${baseUrl}/link/${pageId}`;
}

/** The distinct addresses of this instance in a text, without query, fragment and slashes at the end. */
export function addressesIn(text: string, baseUrl: string): Set<string> {
  const found = new Set<string>();
  for (const { address } of occurrences(text, baseUrl)) found.add(address);
  return found;
}

/** The text with each address replaced by its reference, where `find` returns one; also permalinks without the host. */
export function withReferences(text: string, baseUrl: string, find: (address: string) => ItemRef | undefined): string {
  const whole = withPermalinks(text, baseUrl, find);
  let result = "";
  let done = 0;
  for (const { address, start, end } of occurrences(whole, baseUrl)) {
    const found = find(address);
    if (!found) continue;
    result += whole.slice(done, start) + reference(found);
    done = end;
  }
  return result + whole.slice(done);
}

/** The text with the host in permalinks that `find` knows: another instance has another page at such a path. */
function withPermalinks(text: string, baseUrl: string, find: (address: string) => ItemRef | undefined): string {
  const { origin } = new URL(baseUrl);
  const begin = permalink(baseUrl, 0).slice(0, -1);
  return text.replace(LINKED_PATH, (all, before: string, path: string) => {
    const address = trimEndChars(origin + path, "/");
    return address.startsWith(begin) && find(address) ? before + address : all;
  });
}

function* occurrences(text: string, baseUrl: string): Generator<{ address: string; start: number; end: number }> {
  for (let start = text.indexOf(baseUrl); start >= 0; start = text.indexOf(baseUrl, start)) {
    let end = start + baseUrl.length;
    if (text[end] === "/") {
      ADDRESS.lastIndex = end;
      end += ADDRESS.exec(text)?.[0].length ?? 0;
      yield { address: trimEndChars(text.slice(start, end), "/"), start, end };
    }
    start = end;
  }
}
