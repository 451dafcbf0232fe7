/**
 * Copying and pasting. What is copied has all that the document holds, and not what is drawn. What is pasted from elsewhere loses what would
 * reach for the page: scripts, ids, classes and styles. An address that is pasted over text links the text.
 */
import { DOMSerializer, type Schema } from "@tiptap/pm/model";
import { Plugin } from "@tiptap/pm/state";
import { declarationsIn, isSafeAddress } from "./elements.ts";
import { attributesOf, inertDocument, showStyles } from "./inert.ts";
import { setLink } from "./inline.ts";
import { keepWhole } from "./reader.ts";
import { fragmentHtml } from "./writer.ts";

/** The plugin of the clipboard. */
export function clipboard(schema: Schema): Plugin {
  return new Plugin({
    props: {
      clipboardSerializer: wholeSerializer(schema),
      transformPastedHTML: (html) => cleaned(html),
      handlePaste(view, { clipboardData }) {
        const text = clipboardData?.getData("text/plain").trim() ?? "";
        const { selection } = view.state;
        const isLink = /^(?:https?:\/\/|mailto:)\S+$/i.test(text) && isSafeAddress(text);
        if (
          !isLink ||
          selection.empty ||
          !selection.$from.sameParent(selection.$to) ||
          !selection.$from.parent.inlineContent
        )
          return false;
        return setLink(text)(view.state, view.dispatch);
      },
    },
  });
}

/** Serialises what nodes hold. */
function wholeSerializer(schema: Schema): DOMSerializer {
  const { nodes, marks } = DOMSerializer.fromSchema(schema);
  const made = new DOMSerializer(nodes, marks);
  made.serializeFragment = (content) => {
    const holder = inertDocument(fragmentHtml(content));
    showStyles(holder.body);
    const fragment = document.createDocumentFragment();
    fragment.append(...holder.body.childNodes);
    return fragment;
  };
  return made;
}

/** Attributes that say what pasted content is, by element; all others say how it looked elsewhere. */
const MEANT: Readonly<Record<string, readonly string[]>> = {
  "*": ["dir", "lang"],
  a: ["href", "title"],
  img: ["src", "alt", "title", "width", "height"],
  td: ["colspan", "rowspan"],
  th: ["colspan", "rowspan", "scope"],
  ol: ["start", "type", "reversed"],
  li: ["value"],
  input: ["type", "checked", "disabled"],
};
const DROPPED = "script,style,link,meta,title,base,template,noscript,iframe,object,embed,form,button,textarea,select";

/** Pasted HTML without what says how it looked elsewhere. What was copied in this editor stays as it is. */
export function cleaned(html: string): string {
  const { body } = inertDocument(html);
  if (body.querySelector("[data-pm-slice]") === null) {
    for (const element of [...body.querySelectorAll(DROPPED)]) element.remove();
    for (const element of [...body.querySelectorAll("*")]) clean(element);
  }
  keepWhole(body);
  return body.innerHTML;
}

function clean(element: Element): void {
  const meant = [...(MEANT["*"] ?? []), ...(MEANT[element.localName] ?? [])];
  const style = Object.fromEntries(declarationsIn(attributesOf(element).find(([name]) => name === "style")?.[1] ?? ""));
  const weight = style["font-weight"] ?? "";
  for (const { name, value } of [...element.attributes])
    if (!meant.includes(name) || (/^(?:href|src)$/.test(name) && !isSafeAddress(value))) element.removeAttribute(name);
  if (!/^(?:span|font|b|div)$/.test(element.localName)) return;
  // What style alone says, such as Google Docs does; `b` with a normal weight is its frame around all that is copied.
  const wanted = [
    ...(/^(?:bold|[6-9]00)/i.test(weight) ? ["strong"] : []),
    ...(/^italic/i.test(style["font-style"] ?? "") ? ["em"] : []),
    ...(/line-through/i.test(style["text-decoration"] ?? "") ? ["s"] : []),
  ];
  const isFrame = element.localName === "b" && /^(?:normal|400)/i.test(weight);
  if (element.localName === "div" || (element.localName === "b" && !isFrame)) return;
  let inner: Element | undefined;
  for (const tag of wanted) {
    const made = element.ownerDocument.createElement(tag);
    made.append(...(inner ? [inner] : element.childNodes));
    inner = made;
  }
  element.replaceWith(...(inner ? [inner] : element.childNodes));
}
