/**
 * Commands on inline content: bold and its like, links, colours. All are one mark with a tag, so a command looks at the tags. An element that
 * holds more than the command would give it, such as a class, is removed whole by the command that removes its tag.
 */
import type { Mark, MarkType } from "@tiptap/pm/model";
import type { Command, EditorState, Transaction } from "@tiptap/pm/state";
import { declarationsIn, type Kept } from "./elements.ts";

/** The tags by which a page may say the same, the one that the editor writes first. */
export const TAGS = {
  bold: ["strong", "b"],
  italic: ["em", "i"],
  underline: ["u"],
  strike: ["s", "del", "strike"],
  code: ["code"],
  sub: ["sub"],
  sup: ["sup"],
} as const satisfies Readonly<Record<string, readonly string[]>>;

const markType = ({ schema }: EditorState) => schema.marks.el as MarkType;

/** The elements around the cursor, or around the first text of the selection. */
export function marksAt({ selection, storedMarks, doc }: EditorState): readonly Mark[] {
  if (selection.empty) return storedMarks ?? selection.$from.marks();
  let found: readonly Mark[] = [];
  doc.nodesBetween(selection.from, selection.to, (node) => {
    if (found.length === 0 && node.isInline) found = node.marks;
    return found.length === 0;
  });
  return found;
}

/** Whether all text of the selection is within an element of one of the tags. */
export function isWithin(state: EditorState, tags: readonly string[]): boolean {
  const { selection, doc } = state;
  if (selection.empty) return marksAt(state).some(({ attrs }) => tags.includes(attrs.tag));
  let [hasText, isAll] = [false, true];
  for (const { $from, $to } of selection.ranges)
    doc.nodesBetween($from.pos, $to.pos, (node) => {
      if (!node.isText) return;
      hasText = true;
      isAll &&= node.marks.some(({ attrs }) => tags.includes(attrs.tag));
    });
  return hasText && isAll;
}

/** Puts the selection into an element, or takes it out of all elements of these tags. */
export function toggle(tags: readonly string[]): Command {
  return (state, dispatch) => {
    const { selection, tr } = state;
    if (!selection.$from.parent.inlineContent && selection.empty) return false;
    if (!dispatch) return true;
    const isOn = isWithin(state, tags);
    const mark = markType(state).create({ tag: tags[0] });
    if (selection.empty) {
      const rest = marksAt(state).filter(({ attrs }) => !tags.includes(attrs.tag));
      dispatch(tr.setStoredMarks(isOn ? rest : [...rest, mark]));
      return true;
    }
    remove(state, tr, ({ attrs }) => tags.includes(attrs.tag));
    if (!isOn) for (const { $from, $to } of selection.ranges) tr.addMark($from.pos, $to.pos, mark);
    dispatch(tr.scrollIntoView());
    return true;
  };
}

/** Removes marks of the selection from a transaction. */
function remove(
  { doc, selection }: Pick<EditorState, "doc" | "selection">,
  tr: Transaction,
  isRemoved: (mark: Mark) => boolean,
): void {
  for (const { $from, $to } of selection.ranges)
    doc.nodesBetween($from.pos, $to.pos, (node, pos) => {
      for (const mark of node.isInline ? node.marks.filter(isRemoved) : [])
        tr.removeMark(Math.max(pos, $from.pos), Math.min(pos + node.nodeSize, $to.pos), mark);
    });
}

/** Takes the selection out of all inline elements, and its blocks out of what their style and class say. */
export const clearFormatting: Command = (state, dispatch) => {
  const { selection, tr, doc } = state;
  remove(state, tr, () => true);
  for (const { $from, $to } of selection.ranges)
    doc.nodesBetween($from.pos, $to.pos, (node, pos) => {
      if (!node.isTextblock || node.attrs.kept === null) return;
      tr.setNodeAttribute(pos, "kept", without(node.attrs.kept, "style", "class", "align"));
    });
  dispatch?.(tr.setStoredMarks([]).scrollIntoView());
  return true;
};

/** Attributes without some; null where none are left. */
export function without(kept: Kept, ...names: readonly string[]): Kept {
  const rest = Object.entries(kept ?? {}).filter(([name]) => !names.includes(name));
  return rest.length > 0 ? Object.fromEntries(rest) : null;
}

/** Where the link around the cursor begins and ends, and its mark. */
export function linkAt({ selection, doc }: EditorState): { from: number; to: number; mark: Mark } | undefined {
  const { $from } = selection;
  const { parent } = $from;
  const isLink = ({ attrs }: Mark) => attrs.tag === "a" && attrs.kept?.href !== undefined;
  const mark = [...$from.marks(), ...(doc.nodeAt(selection.from)?.marks ?? [])].find(isLink);
  if (!mark || !parent.inlineContent) return undefined;
  let [from, to, at] = [-1, -1, $from.start()];
  parent.forEach((node) => {
    const isPart = mark.isInSet(node.marks);
    if (isPart && (from < 0 || to < at) && at <= selection.from) from = at;
    if (isPart && from >= 0 && (to < 0 || to === at)) to = at + node.nodeSize;
    at += node.nodeSize;
  });
  return from < 0 ? undefined : { from, to, mark };
}

/** Links the selection, or the link around the cursor anew; without a selection inserts `text`. "" removes the link. */
export function setLink(href: string, text = ""): Command {
  return (state, dispatch) => {
    const { tr, selection } = state;
    const old = linkAt(state);
    const range = selection.empty && old ? old : { from: selection.from, to: selection.to };
    if (old) tr.removeMark(range.from, range.to, old.mark);
    const kept = { ...(old?.mark.attrs.kept as Kept), href };
    const mark = markType(state).create({ tag: "a", kept });
    if (href === "") {
      if (!old) return false;
    } else if (range.from === range.to) {
      tr.replaceSelectionWith(state.schema.text(text === "" ? href : text, [...selection.$from.marks(), mark]), false);
    } else if (old && text !== "" && text !== state.doc.textBetween(range.from, range.to)) {
      tr.replaceWith(
        range.from,
        range.to,
        state.schema.text(text, [...old.mark.removeFromSet(selection.$from.marks()), mark]),
      );
    } else tr.addMark(range.from, range.to, mark);
    dispatch?.(tr.removeStoredMark(markType(state)).scrollIntoView());
    return true;
  };
}

/** Sets a style of the selection, as the original writes it: a span of its own. "" removes it. */
export function setStyle(property: "color" | "background-color", value: string): Command {
  return (state, dispatch) => {
    const { tr, selection } = state;
    if (selection.empty) return false;
    const isOnly = ({ attrs }: Mark) =>
      attrs.tag === "span" &&
      declarationsIn(attrs.kept?.style ?? "").every(([name]) => name === property) &&
      attrs.kept?.style !== undefined;
    remove(state, tr, isOnly);
    const mark = markType(state).create({ tag: "span", kept: { style: `${property}: ${value};` } });
    if (value !== "") for (const { $from, $to } of selection.ranges) tr.addMark($from.pos, $to.pos, mark);
    dispatch?.(tr.scrollIntoView());
    return true;
  };
}
