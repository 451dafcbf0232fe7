/** Plugins that keep documents in order after a change: no id twice, and links that end where their text ends. */
import type { Mark, Node } from "@tiptap/pm/model";
import { Plugin } from "@tiptap/pm/state";
import { without } from "./inline.ts";

function idsIn(doc: Node): Map<string, number[]> {
  const found = new Map<string, number[]>();
  doc.descendants((node, pos) => {
    const id = node.attrs.kept?.id;
    if (id !== undefined) found.set(id, [...(found.get(id) ?? []), pos]);
  });
  return found;
}

/** A block that is split, or pasted once more, leaves its id to the first. Ids that the page has twice stay. */
export function uniqueIds(): Plugin {
  return new Plugin({
    appendTransaction(transactions, before, after) {
      if (!transactions.some(({ docChanged }) => docChanged)) return null;
      const old = idsIn(before.doc);
      const { tr } = after;
      for (const [id, places] of idsIn(after.doc)) {
        const added = places.length - Math.max(old.get(id)?.length ?? 0, 1);
        for (const pos of added > 0 ? places.slice(-added) : [])
          tr.setNodeAttribute(pos, "kept", without(after.doc.nodeAt(pos)?.attrs.kept, "id"));
      }
      return tr.docChanged ? tr : null;
    },
  });
}

/** What is typed at the end of a link is no part of it. */
export function endOfLinks(): Plugin {
  return new Plugin({
    props: {
      handleTextInput(view, from, to, text) {
        const { state } = view;
        const marks = state.storedMarks ?? state.doc.resolve(from).marks();
        const links = linksEndingAt(state.doc, from);
        if (from !== to || links.length === 0) return false;
        const rest = marks.filter((mark) => !links.includes(mark));
        view.dispatch(state.tr.insert(from, state.schema.text(text, rest)).scrollIntoView());
        return true;
      },
    },
  });
}

function linksEndingAt(doc: Node, at: number): readonly Mark[] {
  const { nodeBefore, nodeAfter } = doc.resolve(at);
  const marks = nodeBefore?.isInline ? nodeBefore.marks : [];
  return marks.filter((mark) => mark.attrs.tag === "a" && !(nodeAfter && mark.isInSet(nodeAfter.marks)));
}
