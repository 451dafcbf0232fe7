/**
 * Cleans what is pasted. What was copied elsewhere keeps what it says, as blocks, lists and tables of the editor, and loses how it looked
 * and what would reach for the page: scripts, ids, classes and styles. Word, Google Docs and LibreOffice say much by styles alone,
 * which become elements; lists are in `paste_lists.ts`. What was copied in the editor stays as it is, but for what runs.
 */
import { BLOCKS, isSafeAddress, styleOf } from "./elements.ts";
import { attributesOf, inertDocument } from "./inert.ts";
import { nestLists, taskItems, wordLists } from "./paste_lists.ts";
import { keepWhole } from "./reader.ts";

/** Attributes that say what pasted content is, by element; all others say how it looked elsewhere. */
const MEANT: Readonly<Record<string, readonly string[]>> = {
  a: ["href", "title"],
  abbr: ["title"],
  img: ["src", "alt", "title", "width", "height"],
  td: ["colspan", "rowspan"],
  th: ["colspan", "rowspan", "scope"],
  ol: ["start", "type", "reversed"],
  li: ["value"],
  input: ["type", "checked", "disabled"],
};
const MEANT_CLASS = /^(?:task-list-item|contains-task-list|language-[\w+#-]+)$/;
const DROPPED =
  "script,style,link,meta,title,base,template,noscript,iframe,object,embed,form,button,textarea,select,svg,canvas,br.Apple-interchange-newline,colgroup,col,[hidden],[aria-hidden=true],input:not([type=checkbox])";
/** Elements that are no more than a place on a page. */
const PLACES = "div,section,article,main,header,footer,aside,nav,center,address,hgroup,search,fieldset,legend";
const FORMATS = "span,font,b,i,em,strong,u,ins";
const RENAMED: Readonly<Record<string, string>> = {
  b: "strong",
  i: "em",
  strike: "s",
  menu: "ul",
  dir: "ul",
  tt: "code",
};

/** Pasted HTML as the editor takes it. */
export function cleaned(html: string): string {
  // Browsers report these elements as refused by the policy, also where they are not applied.
  const { body } = inertDocument(cutOut(cutOut(html, "<style", "</style>"), "<base", ">"));
  if (body.querySelector("[data-pm-slice]")) return kept(inertDocument(html).body, disarm);
  return kept(body, clean);
}

function kept(body: HTMLElement, change: (body: HTMLElement) => void): string {
  change(body);
  keepWhole(body);
  return body.innerHTML;
}

/** HTML without what is between two texts in lower case, and without these. */
function cutOut(html: string, begin: string, end: string): string {
  const lower = html.toLowerCase();
  let rest = "";
  let at = 0;
  for (let start = lower.indexOf(begin); start >= 0; start = lower.indexOf(begin, at)) {
    const last = lower.indexOf(end, start);
    rest += html.slice(at, start);
    at = last < 0 ? html.length : last + end.length;
  }
  return rest + html.slice(at);
}

/** Takes away what runs. */
function disarm(body: Element): void {
  for (const element of [...body.querySelectorAll("*")]) {
    if (element.localName === "script") element.remove();
    const real = attributesOf(element).map(([name]) => name);
    for (const [index, { name, value }] of [...element.attributes].entries()) {
      const isAddress = /^(?:href|src|xlink:href|action|formaction|data)$/.test(name);
      if (/^(?:on|srcdoc$)/.test(real[index] ?? name) || (isAddress && !isSafeAddress(value)))
        element.removeAttribute(name);
    }
  }
}

function clean(body: HTMLElement): void {
  for (const element of [...body.querySelectorAll("picture")]) element.replaceWith(...element.querySelectorAll("img"));
  wordLists(body);
  nestLists(body);
  taskItems(body);
  for (const element of [...body.querySelectorAll(DROPPED)]) element.remove();
  for (const element of [...body.querySelectorAll("*")]) if (isHidden(element)) element.remove();
  for (const element of [...body.querySelectorAll("div")]) if (isListing(element)) codeOf(element);
  // From the inside, so that elements are still where their styles are read.
  for (const element of [...body.querySelectorAll("*")].reverse()) {
    const formats = formatsOf(element);
    stripAttributes(element);
    shape(element, formats);
  }
  for (const element of [...body.querySelectorAll(PLACES)].reverse()) unplace(element);
  for (const element of [...body.querySelectorAll("strong,em,u,s,a,code,sub,sup")])
    if (holdsBlocks(element)) unwrap(element);
  tidy(body);
}

function isHidden(element: Element): boolean {
  const style = styleOf(element);
  return style.display === "none" || style.visibility === "hidden" || style["mso-hide"] === "all";
}

/** Lines of code, as editors of programmers copy them. */
function isListing(element: Element): boolean {
  const { "white-space": space = "", "font-family": font = "" } = styleOf(element);
  return /^pre/.test(space) && /mono|courier|consolas|menlo/i.test(font);
}

function codeOf(element: Element): void {
  for (const line of element.querySelectorAll("br")) line.replaceWith("\n");
  const lines = [...element.children].some(({ localName }) => localName === "div")
    ? [...element.children].map(({ textContent }) => (textContent ?? "").replace(/\n$/, ""))
    : [element.textContent ?? ""];
  const { ownerDocument: owner } = element;
  const [pre, code] = [owner.createElement("pre"), owner.createElement("code")];
  code.textContent = lines.join("\n");
  pre.append(code);
  element.replaceWith(pre);
}

/** The elements that say what a style says, such as of Google Docs. */
function formatsOf(element: Element): readonly string[] {
  if (!element.matches(FORMATS)) return [];
  const style = styleOf(element);
  const decoration = `${style["text-decoration"] ?? ""} ${style["text-decoration-line"] ?? ""}`;
  return [
    ...(/^(?:bold|[6-9]00)/i.test(style["font-weight"] ?? "") ? ["strong"] : []),
    ...(/^(?:italic|oblique)/i.test(style["font-style"] ?? "") ? ["em"] : []),
    ...(decoration.includes("underline") && element.closest("a") === null ? ["u"] : []),
    ...(decoration.includes("line-through") ? ["s"] : []),
    ...(style["vertical-align"] === "super" ? ["sup"] : []),
    ...(style["vertical-align"] === "sub" ? ["sub"] : []),
    ...(/^(?:normal|400)/i.test(style["font-weight"] ?? "") && /^(?:b|strong)$/.test(element.localName) ? ["-"] : []),
  ];
}

function stripAttributes(element: Element): void {
  const meant = MEANT[element.localName] ?? [];
  const classes = [...element.classList].filter((each) => MEANT_CLASS.test(each));
  const isRtl = element.getAttribute("dir")?.toLowerCase() === "rtl";
  for (const { name, value } of [...element.attributes])
    if (!meant.includes(name) || (/^(?:href|src)$/.test(name) && !isSafeAddress(value))) element.removeAttribute(name);
  if (classes.length > 0) element.className = classes.join(" ");
  if (isRtl) element.setAttribute("dir", "rtl");
}

/** Replaces an element that only looked somehow by those that say what it meant. */
function shape(element: Element, formats: readonly string[]): void {
  const { localName: name } = element;
  const isEmpty = element.textContent === "" && element.children.length === 0;
  const renamed = RENAMED[name];
  if (name === "a" && !/^[^#]/.test(element.getAttribute("href") ?? "")) unwrap(element);
  else if (name === "img" && (element.getAttribute("src") ?? "") === "") element.remove();
  else if (/^(?:span|font|label)$|[-:]/.test(name) || formats.includes("-")) unwrap(element, formats);
  else if (isEmpty && /^(?:b|i|em|strong|u)$/.test(name)) element.remove();
  else if (renamed !== undefined) rename(element, renamed);
}

function rename(element: Element, name: string): void {
  const made = element.ownerDocument.createElement(name);
  for (const { name: key, value } of element.attributes) made.setAttribute(key, value);
  made.append(...element.childNodes);
  element.replaceWith(made);
}

/** Puts the content of an element in its place, within others. */
function unwrap(element: Element, within: readonly string[] = []): void {
  let content: readonly (Node | string)[] = [...element.childNodes];
  if (element.textContent !== "" && !holdsBlocks(element))
    for (const tag of within.filter((each) => each !== "-")) {
      const made = element.ownerDocument.createElement(tag);
      made.append(...content);
      content = [made];
    }
  element.replaceWith(...content);
}

function holdsBlocks(element: Element): boolean {
  return [...element.querySelectorAll("*")].some(({ localName }) => BLOCKS.has(localName));
}

/** Paragraphs in place of an element that holds text, its content in place of one that holds blocks. */
function unplace(element: Element): void {
  const runs: Node[][] = [];
  let isInline = false;
  for (const node of [...element.childNodes]) {
    const isBlock = node.nodeType === 1 && BLOCKS.has((node as Element).localName);
    if (isBlock || !isInline) runs.push([]);
    runs.at(-1)?.push(node);
    isInline = !isBlock;
  }
  element.replaceWith(
    ...runs.flatMap((run): readonly Node[] => {
      const [first] = run;
      if (first?.nodeType === 1 && BLOCKS.has((first as Element).localName)) return run;
      if (run.every(({ textContent, nodeType }) => nodeType !== 1 && !/\S/.test(textContent ?? ""))) return [];
      const made = element.ownerDocument.createElement("p");
      if (element.getAttribute("dir") === "rtl") made.dir = "rtl";
      made.append(...run);
      return [made];
    }),
  );
}

/** Takes paragraphs away that are empty, or the only one of an item or cell. */
function tidy(body: Element): void {
  const isBlock = (element: Element | null) => element === null || BLOCKS.has(element.localName);
  for (const line of [...body.querySelectorAll(":not(p) > br")]) {
    const beside = [line.previousSibling, line.nextSibling];
    const isLoose = isBlock(line.previousElementSibling) && isBlock(line.nextElementSibling);
    if (isLoose && beside.every((node) => node?.nodeType !== 3 || !/\S/.test(node.nodeValue ?? ""))) line.remove();
  }
  for (const paragraph of [...body.querySelectorAll("p")]) {
    const isEmpty = !/[^\s\u00a0]/.test(paragraph.textContent ?? "") && paragraph.querySelector("img,input") === null;
    if (isEmpty) paragraph.remove();
  }
  for (const holder of [...body.querySelectorAll("li,td,th,dt,dd")]) {
    const [first, ...rest] = [...holder.children];
    const isBare = [...holder.childNodes].every(
      ({ nodeType, nodeValue }) => nodeType === 1 || !/\S/.test(nodeValue ?? ""),
    );
    if (first?.localName === "p" && isBare && rest.every(({ localName }) => /^[uo]l$/.test(localName))) unwrap(first);
  }
}
