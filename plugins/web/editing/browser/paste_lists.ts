/**
 * Lists of word processors. Word writes each item as a paragraph whose style says the list and the level (`mso-list`), with its sign as
 * text; Google Docs puts a nested list beside the item that it belongs to, and boxes of check lists are pictures.
 */
import { styleOf } from "./elements.ts";

interface OpenList {
  readonly element: Element;
  readonly level: number;
  /** The name of the list in the document, such as "l0". */
  readonly name: string;
}

const NUMBERED = /^\(?(?:\d+(?:\.\d+)*|[a-z]{1,4}|[A-Z]{1,4})[.)]$/;

/** Makes lists of the paragraphs that Word writes. */
export function wordLists(root: Element): void {
  const open: OpenList[] = [];
  for (const paragraph of [...root.querySelectorAll("p,h1,h2,h3,h4,h5,h6")]) {
    const [, name = "", depth = ""] = /^(\w{1,20}) level(\d{1,2})\b/i.exec(styleOf(paragraph)["mso-list"] ?? "") ?? [];
    const sign = takeSign(paragraph);
    if (depth === "" || paragraph.localName !== "p") continue;
    if (open[0] && paragraph.previousElementSibling !== open[0].element) open.length = 0;
    const item = paragraph.ownerDocument.createElement("li");
    listFor(open, { name, level: Number(depth), sign, before: paragraph }).append(item);
    item.append(...paragraph.childNodes);
    paragraph.remove();
  }
}

/** Removes the sign of an item, and returns it. */
function takeSign(paragraph: Element): string {
  const ignored = [...paragraph.querySelectorAll("span")].find((span) =>
    /ignore/i.test(styleOf(span)["mso-list"] ?? ""),
  );
  const sign = (ignored?.textContent ?? "").replace(/[\s\u00a0]+/g, "");
  ignored?.remove();
  return sign;
}

interface ListItem {
  readonly name: string;
  readonly level: number;
  readonly sign: string;
  readonly before: Element;
}

/** The list of an item: one that is open, or a new one. Changes the open lists. */
function listFor(open: OpenList[], { name, level, sign, before }: ListItem): Element {
  const tag = NUMBERED.test(sign) ? "ol" : "ul";
  while ((open.at(-1)?.level ?? 0) > level && open.length > 1) open.pop();
  const last = open.at(-1);
  if (last && last.level >= level && last.element.localName === tag && (last.name === name || level > 1))
    return last.element;
  if (last && last.level >= level) open.pop();
  const made = before.ownerDocument.createElement(tag);
  if (tag === "ol") number(made, sign.replace(/^\(/, "").replace(/[.)]$/, ""));
  const holder = open.at(-1)?.element.lastElementChild;
  if (holder) holder.append(made);
  else before.before(made);
  open.push({ element: made, level, name });
  return made;
}

/** Says how a list counts, by its first sign. */
function number(list: Element, first: string): void {
  const start = Number(first.split(".").at(-1));
  const type = /^[ivx]+$/i.test(first) && first.toLowerCase() !== "v" ? "i" : "a";
  if (Number.isInteger(start)) {
    if (start !== 1) list.setAttribute("start", String(start));
  } else list.setAttribute("type", first === first.toLowerCase() ? type : type.toUpperCase());
}

/** Puts lists that are in a list directly into the item before them. */
export function nestLists(root: Element): void {
  for (const list of [...root.querySelectorAll("ul > ul,ul > ol,ol > ul,ol > ol")]) {
    const before = list.previousElementSibling;
    if (before?.localName === "li") before.append(list);
    else {
      const item = list.ownerDocument.createElement("li");
      list.replaceWith(item);
      item.append(list);
    }
  }
}

/** Gives items of check lists their box. */
export function taskItems(root: Element): void {
  for (const item of [...root.querySelectorAll("li[role=checkbox]")]) {
    const box = item.ownerDocument.createElement("input");
    box.setAttribute("type", "checkbox");
    box.setAttribute("disabled", "disabled");
    if (item.getAttribute("aria-checked") === "true") box.setAttribute("checked", "checked");
    item.querySelector("img")?.remove();
    const place = item.querySelector("p") ?? item;
    place.prepend(box, " ");
    item.className = "task-list-item";
  }
}
