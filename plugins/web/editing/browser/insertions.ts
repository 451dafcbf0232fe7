/** Content that comes from elsewhere on the screen, such as a template of the drawer: it is inserted as one step of undo. */
import type { Editor } from "@tiptap/core";
import { closeHistory } from "@tiptap/pm/history";
import { Fragment, DOMParser as ModelParser } from "@tiptap/pm/model";
import { Selection } from "@tiptap/pm/state";
import { insertBlocks, insertInline } from "./blocks.ts";
import { BLOCKS } from "./elements.ts";
import { inertDocument } from "./inert.ts";
import { keepWhole } from "./reader.ts";

/** What the event `editor-insert` of the form tells. */
export interface Insertion {
  readonly html: string;
  readonly markdown: string;
  readonly at: "cursor" | "start" | "end";
}

/** Inserts HTML at a place of the document: text into the text, blocks between blocks, in the place of a document that is empty. */
export function insertAt(editor: Editor, html: string, at: Insertion["at"]): void {
  const { state, view } = editor;
  const { body } = inertDocument(html);
  const isText = ![...body.querySelectorAll("*")].some(({ localName }) => BLOCKS.has(localName));
  view.dispatch(closeHistory(state.tr));
  if (at === "cursor") {
    if (isText && state.selection.$from.parent.inlineContent) insertInline(editor, html);
    else insertBlocks(editor, html);
    return;
  }
  keepWhole(body);
  const { content } = ModelParser.fromSchema(state.schema).parse(body);
  const { doc } = state;
  const isEmpty = doc.childCount === 1 && doc.firstChild?.isTextblock === true && doc.firstChild.content.size === 0;
  const place = at === "start" || isEmpty ? 0 : doc.content.size;
  const tr = view.state.tr.replaceWith(place, isEmpty ? doc.content.size : place, Fragment.from(content));
  tr.setSelection(Selection.near(tr.doc.resolve(place), 1));
  view.dispatch(tr.scrollIntoView());
  view.focus();
}
