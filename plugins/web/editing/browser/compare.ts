/**
 * Compares the HTML of a page with what the editor would write: element names, all attributes, and text. One class of differences is
 * harmless and not counted: white space that no browser shows, which is between blocks, at their edges, and runs of it in text outside of `pre`.
 */
import { BLOCKS } from "./elements.ts";
import { attributesOf, inertDocument, realHtml } from "./inert.ts";

/** A part of a page that would change: as it is, and as it would be; "" where there is none. */
export interface Difference {
  readonly before: string;
  readonly after: string;
}

interface Token {
  text: string;
  readonly kind: "text" | "inline" | "block";
}

/** Whether two texts of HTML have different trees. */
export function differs(before: string, after: string): boolean {
  return before !== after && treeOf(inertDocument(before).body) !== treeOf(inertDocument(after).body);
}

/** The blocks at the top level that differ. */
export function differences(before: string, after: string): Difference[] {
  const [old, made] = [topLevel(before), topLevel(after)];
  const isEqual = (a: number, b: number) => old[a]?.tree === made[b]?.tree;
  let [start, end] = [0, 0];
  while (start < Math.min(old.length, made.length) && isEqual(start, start)) start++;
  while (end < Math.min(old.length, made.length) - start && isEqual(old.length - 1 - end, made.length - 1 - end)) end++;
  const count = Math.max(old.length, made.length) - start - end;
  return Array.from({ length: count }, (_, index) => ({
    before: start + index < old.length - end ? (old[start + index]?.html ?? "") : "",
    after: start + index < made.length - end ? (made[start + index]?.html ?? "") : "",
  })).filter((each, index) => !isEqual(start + index, start + index) && each.before !== each.after);
}

function topLevel(html: string): { readonly html: string; readonly tree: string }[] {
  const { body } = inertDocument(html);
  return [...body.childNodes].flatMap((node) => {
    const holder = body.ownerDocument.createElement("body");
    holder.append(node.cloneNode(true));
    const tree = treeOf(holder);
    return tree === "" ? [] : [{ html: realHtml(holder.innerHTML), tree }];
  });
}

/** The tree below an element as a text, in which white space that no browser shows is folded. */
export function treeOf(root: Element): string {
  const tokens: Token[] = [];
  read(root, tokens, false);
  fold(tokens);
  return realHtml(tokens.map(({ text }) => text).join(""));
}

function read(parent: Element, tokens: Token[], isPlain: boolean): void {
  const children =
    parent.localName === "template" ? (parent as HTMLTemplateElement).content.childNodes : parent.childNodes;
  for (const node of children) {
    if (node.nodeType === 3) {
      const text = (node.nodeValue ?? "").replace(/[<>&]/g, (sign) => `&${sign.charCodeAt(0)};`);
      tokens.push({ text, kind: isPlain ? "inline" : "text" });
    } else if (node.nodeType === 1) {
      const element = node as Element;
      const name = element.localName;
      const kind = BLOCKS.has(name) || name === "br" ? "block" : "inline";
      const attributes = attributesOf(element)
        .map(([key, value]) => ` ${key}=${JSON.stringify(value)}`)
        .sort();
      tokens.push({ text: `<${name}${attributes.join("")}>`, kind });
      read(element, tokens, isPlain || name === "pre" || name === "textarea");
      tokens.push({ text: `</${name}>`, kind });
    }
  }
}

/** Folds white space as browsers do: runs of it are one space, and there is none at the edges of blocks. Changes the tokens. */
function fold(tokens: readonly Token[]): void {
  let last: Token | undefined;
  let isAtSpace = true;
  const endLine = () => {
    if (last) last.text = last.text.replace(/ $/, "");
    last = undefined;
    isAtSpace = true;
  };
  for (const token of tokens) {
    if (token.kind === "block") endLine();
    else if (token.kind === "text") {
      const text = token.text.replace(/[ \t\r\n\f]+/g, " ");
      token.text = isAtSpace ? text.replace(/^ /, "") : text;
      if (token.text !== "") {
        last = token;
        isAtSpace = token.text.endsWith(" ");
      }
    } else if (!token.text.startsWith("<") || /^<(?:img|input)\b/.test(token.text)) {
      last = undefined;
      isAtSpace = false;
    }
  }
  endLine();
}

/** HTML without the ids that the server gives to blocks, which a page in Markdown does not hold. */
export function withoutIds(html: string): string {
  const { body } = inertDocument(html);
  for (const element of body.querySelectorAll('[id^="bkmrk-"]')) element.removeAttribute("id");
  return realHtml(body.innerHTML);
}
