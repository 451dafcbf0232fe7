import type { Editor } from "@tiptap/core";
import { DOMParser as ModelParser } from "@tiptap/pm/model";
import { inertDocument } from "./inert.ts";
import { keepWhole } from "./reader.ts";

/** What a script that changes something in the text of a page says by the event `editor-replace` of its form. */
export interface Replacement {
  /** An attribute, and its value, of the elements that are replaced, such as "drawio-diagram" and "12". */
  readonly attribute: string;
  readonly value: string;
  readonly html: string;
}

/** Replaces elements by HTML, all of them as one step that can be undone. */
export function replaceElements({ state, view }: Editor, { attribute, value, html }: Replacement): void {
  const { body } = inertDocument(html);
  keepWhole(body);
  const { content } = ModelParser.fromSchema(state.schema).parse(body);
  const { tr } = state;
  state.doc.descendants((node, pos) => {
    const { kept, html: whole } = node.attrs;
    const isMeant =
      kept?.[attribute] === value || (typeof whole === "string" && whole.includes(`${attribute}="${value}"`));
    if (!isMeant) return true;
    tr.replaceWith(tr.mapping.map(pos), tr.mapping.map(pos + node.nodeSize), content);
    return false;
  });
  if (tr.docChanged) view.dispatch(tr);
}
