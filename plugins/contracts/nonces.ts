/**
 * Markup for the head of documents, as operators and administrators write it. Its scripts, styles and links need the nonce of each document, which the
 * Content-Security-Policy of screens requires: the markup is parsed once, and cut where the nonce belongs.
 */
import { type Html, raw } from "lectern/core";
import { type DefaultTreeAdapterTypes, parseFragment } from "parse5";

/** Elements that a policy allows by a nonce. */
const WITH_NONCE: ReadonlySet<string> = new Set(["script", "style", "link"]);

/**
 * What draws markup with the nonce of a document. The markup is trusted: it is shown as it is.
 * @example
 * const draw = withNonces("<style>h1 { color: green }</style>");
 * const markup = draw("c2VjcmV0");
 */
export function withNonces(markup: string): (nonce: string) => Html {
  const pieces = splitAtNonces(markup);
  return (nonce) => raw(pieces.join(` nonce="${nonce}"`));
}

/** Cuts markup where the attribute `nonce` belongs: after the names of elements, before an attribute `nonce` of the author. */
function splitAtNonces(markup: string): string[] {
  const places: number[] = [];
  const visit = (node: DefaultTreeAdapterTypes.Node): void => {
    if ("tagName" in node && WITH_NONCE.has(node.tagName)) {
      const start = node.sourceCodeLocation?.startTag?.startOffset ?? node.sourceCodeLocation?.startOffset;
      if (start !== undefined) places.push(start + 1 + node.tagName.length);
    }
    if ("content" in node) visit(node.content);
    if ("childNodes" in node) node.childNodes.forEach(visit);
  };
  visit(parseFragment(markup, { sourceCodeLocationInfo: true }));
  const cuts = [0, ...places.sort((a, b) => a - b), markup.length];
  return cuts.slice(1).map((end, at) => markup.slice(cuts[at], end));
}
