/**
 * Copying and pasting. What is copied has all that the document holds, and not what is drawn. What is pasted is cleaned by `paste.ts`. An
 * address that is pasted over text links the text.
 */
import { DOMSerializer, type Schema } from "@tiptap/pm/model";
import { Plugin } from "@tiptap/pm/state";
import { isSafeAddress } from "./elements.ts";
import { inertDocument, showStyles } from "./inert.ts";
import { setLink } from "./inline.ts";
import { cleaned } from "./paste.ts";
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
