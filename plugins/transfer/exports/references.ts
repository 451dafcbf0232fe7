/**
 * How content in a portable archive refers to what lies in the same archive (content-api 15.7): `[[bsexport:page:12]]`
 * in place of the address. Addresses are looked for in the text as it is, HTML or Markdown, since they may stand
 * anywhere; what is not in the archive keeps its address.
 */
import type { ItemRef } from "lectern/contracts";

/** An address up to where it ends. */
const ADDRESS = /[^\s<>"'=?#()]*/y;

/** A reference as content has it; `kind` is that of an item or "image", "attachment". */
export function reference({ kind, id }: ItemRef): string {
  return `[[bsexport:${kind}:${id}]]`;
}

/** Addresses of this instance in a text, each once, without query and fragment. */
export function addressesIn(text: string, baseUrl: string): Set<string> {
  const found = new Set<string>();
  for (const { address } of occurrences(text, baseUrl)) found.add(address);
  return found;
}

/** The text with references in place of the addresses that `find` knows one for. */
export function referring(text: string, baseUrl: string, find: (address: string) => ItemRef | undefined): string {
  let written = "";
  let done = 0;
  for (const { address, start } of occurrences(text, baseUrl)) {
    const found = find(address);
    if (!found) continue;
    written += text.slice(done, start) + reference(found);
    done = start + address.length;
  }
  return written + text.slice(done);
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
