/**
 * Commands on blocks: headings, lists of three kinds, quotes, callouts, code, parts that open, alignment, and what is inserted whole. A callout
 * is a paragraph with a class, as the original writes it; a task is an item with a class that begins with a box.
 */
import type { Editor } from "@tiptap/core";
import { Fragment, DOMParser as ModelParser, type Node, type ResolvedPos, Slice } from "@tiptap/pm/model";
import { type EditorState, Selection, TextSelection, type Transaction } from "@tiptap/pm/state";
import { declarationsIn, type Kept } from "./elements.ts";
import { inertDocument } from "./inert.ts";
import { without } from "./inline.ts";
import { keepWhole } from "./reader.ts";

/** Kinds of callouts. */
export const CALLOUTS = ["info", "success", "warning", "danger"] as const;
/** Alignments of a text. */
export const ALIGNMENTS = ["left", "center", "right", "justify"] as const;

const TASK = "task-list-item";
const BOX: Kept = { type: "checkbox", disabled: "disabled" };

/** The kind of block around the cursor: the value of the toolbar's list. */
export function blockKind({ selection }: EditorState): string {
  const { parent } = selection.$from;
  if (parent.type.name === "heading") return `h${parent.attrs.level}`;
  if (parent.type.name === "codeBlock") return "code";
  const callout = CALLOUTS.find((kind) => classesOf(parent).includes(kind));
  return callout && classesOf(parent).includes("callout") ? callout : "p";
}

const classesOf = ({ attrs }: Node): readonly string[] => (attrs.kept?.class ?? "").split(/\s+/).filter(Boolean);

/** Attributes with classes replaced. */
function withClasses(kept: Kept, classes: readonly string[]): Kept {
  return classes.length > 0 ? { ...kept, class: classes.join(" ") } : without(kept, "class");
}

const withoutCallout = (node: Node) =>
  classesOf(node).filter((each) => each !== "callout" && !CALLOUTS.includes(each as never));

/** Turns the blocks of the selection into a kind of `blockKind`. */
export function setBlock(editor: Editor, kind: string): void {
  const level = Number(/^h([1-6])$/.exec(kind)?.[1] ?? 0);
  change(editor, ({ tr, doc, schema, selection }) => {
    eachTextblock(doc, selection, (node, pos) => {
      const kept = withClasses(node.attrs.kept, withoutCallout(node));
      if (level > 0) tr.setBlockType(pos, pos + 1, schema.nodes.heading as never, { kept, level });
      else if (kind === "code")
        tr.setBlockType(pos, pos + 1, schema.nodes.codeBlock as never, { kept: without(kept, "style"), hasCode: true });
      else {
        const form = node.type.name === "paragraph" ? node.attrs.form : "auto";
        const classes = kind === "p" ? withoutCallout(node) : ["callout", kind];
        const all = withClasses(node.attrs.kept, classes);
        tr.setBlockType(pos, pos + 1, schema.nodes.paragraph as never, { kept: all, form: kind === "p" ? form : "p" });
      }
    });
    return tr;
  });
}

/** Calls a function with each block of text in the selection, the last first, so that positions stay right. */
function eachTextblock(doc: Node, selection: Selection, run: (node: Node, pos: number) => void): void {
  const found: [Node, number][] = [];
  for (const { $from, $to } of selection.ranges)
    doc.nodesBetween($from.pos, $to.pos, (node, pos) => {
      if (node.isTextblock) found.push([node, pos]);
    });
  for (const [node, pos] of found.reverse()) run(node, pos);
}

function change(editor: Editor, make: (state: EditorState & { tr: Transaction }) => Transaction): void {
  editor.view.dispatch(make(editor.state).scrollIntoView());
  editor.view.focus();
}

/** Aligns the blocks of the selection; the alignment that they have is taken away. */
export function align(editor: Editor, to: string): void {
  change(editor, ({ tr, doc, selection }) => {
    eachTextblock(doc, selection, (node, pos) => {
      if (node.type.name === "codeBlock") return;
      const isSame = alignmentOf(node) === to;
      const others = declarationsIn(node.attrs.kept?.style ?? "").filter(([name]) => name !== "text-align");
      const rest = others.map((pair) => pair.join(": ")).join("; ");
      const style = [rest, isSame ? "" : `text-align: ${to}`].filter(Boolean).join("; ");
      const plain = without(node.attrs.kept, "style", "align");
      tr.setNodeAttribute(pos, "kept", style === "" ? plain : { ...plain, style: `${style};` });
    });
    return tr;
  });
}

/** The alignment of a block; "" where it has none of its own. */
export function alignmentOf({ attrs }: Node): string {
  const style = declarationsIn(attrs.kept?.style ?? "").find(([name]) => name === "text-align");
  return style?.[1].toLowerCase() ?? attrs.kept?.align ?? "";
}

/** The innermost node of some kinds around a position. */
export function around($pos: ResolvedPos, ...kinds: readonly string[]): { node: Node; pos: number } | undefined {
  for (let depth = $pos.depth; depth > 0; depth--) {
    const node = $pos.node(depth);
    if (kinds.includes(node.type.name)) return { node, pos: $pos.before(depth) };
  }
  return undefined;
}

/** The box at the beginning of an item. */
export function boxOf(item: Node): Node | undefined {
  const first = item.firstChild?.isTextblock ? item.firstChild.firstChild : undefined;
  return first?.type.name === "checkbox" ? first : undefined;
}

/** The kind of list around the cursor. */
export function listKind({ selection }: EditorState): "bullet" | "ordered" | "task" | undefined {
  const list = around(selection.$from, "bulletList", "orderedList");
  const item = around(selection.$from, "listItem");
  if (!list || !item) return undefined;
  if (boxOf(item.node)) return "task";
  return list.node.type.name === "orderedList" ? "ordered" : "bullet";
}

/** Makes a list of the selection, changes the kind of the list around it, or takes it out of that list. */
export function toggleList(editor: Editor, kind: "bullet" | "ordered" | "task"): void {
  const now = listKind(editor.state);
  const name = kind === "ordered" ? "orderedList" : "bulletList";
  if (now === kind) {
    if (kind === "task") setBoxes(editor, false);
    editor.chain().focus().toggleList(name, "listItem").run();
    return;
  }
  if (now === "task") setBoxes(editor, false);
  if (kind === "task" ? now !== "bullet" : now !== "task" || kind === "ordered")
    editor.chain().focus().toggleList(name, "listItem").run();
  loosen(editor);
  if (kind === "task") setBoxes(editor, true);
}

/** Paragraphs that have become the only one of their item need no element. */
function loosen(editor: Editor): void {
  change(editor, ({ tr, doc, selection }) => {
    doc.nodesBetween(selection.from, selection.to, (node, pos, parent) => {
      if (parent?.type.name !== "listItem" || node.type.name !== "paragraph" || parent.firstChild !== node) return;
      const kept = without(node.attrs.kept, "id");
      if (node.attrs.form !== "auto" || kept !== node.attrs.kept)
        tr.setNodeMarkup(pos, null, { ...node.attrs, kept, form: "auto" });
    });
    return tr;
  });
}

function setBoxes(editor: Editor, isTask: boolean): void {
  change(editor, ({ tr, doc, schema, selection }) => {
    const items: [Node, number][] = [];
    doc.nodesBetween(selection.from, selection.to, (node, pos) => {
      if (node.type.name === "listItem" && node.firstChild?.isTextblock) items.push([node, pos]);
    });
    const inner = items.filter(([node, pos]) => selection.from <= pos + 1 + (node.firstChild?.nodeSize ?? 0));
    for (const [item, pos] of inner.reverse()) {
      const box = boxOf(item);
      const classes = classesOf(item).filter((each) => each !== TASK);
      tr.setNodeAttribute(pos, "kept", withClasses(item.attrs.kept, isTask ? [...classes, TASK] : classes));
      if (isTask && !box) tr.insert(pos + 2, [schema.node("checkbox", { kept: BOX }), schema.text(" ")]);
      else if (!isTask && box) tr.delete(pos + 2, pos + 2 + 1 + (item.firstChild?.textContent.startsWith(" ") ? 1 : 0));
    }
    return tr;
  });
}

/** Enter in an item: a new item, with a box where this one has one; out of the list in an empty item. Whether it was done. */
export function splitItem(editor: Editor): boolean {
  const { $from } = editor.state.selection;
  const item = around($from, "listItem");
  if (!item || $from.parent.type.name === "codeBlock") return false;
  const isTask = boxOf(item.node) !== undefined;
  if (!isTask) return editor.commands.splitListItem("listItem");
  if (item.node.textContent.trim() === "" && item.node.childCount === 1) {
    setBoxes(editor, false);
    return editor.commands.liftListItem("listItem");
  }
  if (!editor.commands.splitListItem("listItem")) return false;
  const added = around(editor.state.selection.$from, "listItem");
  if (added && !boxOf(added.node)) setBoxes(editor, true);
  return true;
}

/** Ticks a box, or takes the tick away. */
export function tick({ view }: Editor, pos: number): void {
  const box = view.state.doc.nodeAt(pos);
  if (box?.type.name !== "checkbox") return;
  const { kept } = box.attrs;
  const next = kept?.checked === undefined ? { ...kept, checked: "checked" } : without(kept, "checked");
  view.dispatch(view.state.tr.setNodeAttribute(pos, "kept", next));
}

/** Puts the selection into a quote, or takes it out. */
export function toggleQuote(editor: Editor): void {
  editor.chain().focus().toggleWrap("blockquote").run();
}

/** Inserts blocks after the block of the cursor, in its place where it is empty, and puts the cursor into the first text of them. */
export function insertBlocks(editor: Editor, html: string): void {
  const { state, view } = editor;
  const { body } = inertDocument(html);
  keepWhole(body);
  const { content } = ModelParser.fromSchema(state.schema).parse(body);
  const { $from } = state.selection;
  const depth = $from.depth > 0 ? $from.depth : 1;
  const isEmpty = $from.parent.isTextblock && $from.parent.content.size === 0 && $from.parent.type.name === "paragraph";
  const tr = state.tr;
  const at = isEmpty ? $from.before(depth) : $from.depth > 0 ? $from.after(depth) : state.selection.to;
  const isLast = (isEmpty ? $from.after(depth) : at) === $from.end(depth - 1);
  const paragraph = state.schema.nodes.paragraph?.create() as Node;
  const added =
    isLast && content.lastChild?.type.name !== "paragraph" ? content.append(Fragment.from(paragraph)) : content;
  tr.replaceWith(at, isEmpty ? $from.after(depth) : at, added);
  const first = Selection.findFrom(tr.doc.resolve(at), 1, true);
  if (first) tr.setSelection(first);
  view.dispatch(tr.scrollIntoView());
  view.focus();
}

/** Inserts inline content in place of the selection. */
export function insertInline({ state, view }: Editor, html: string): void {
  const { body } = inertDocument(html);
  keepWhole(body);
  const { content } = ModelParser.fromSchema(state.schema).parse(body);
  const inner = content.firstChild?.isTextblock ? content.firstChild.content : Fragment.empty;
  view.dispatch(state.tr.replaceSelection(new Slice(inner, 0, 0)).scrollIntoView());
  view.focus();
}

/** Puts the selected blocks into a part that readers open. */
export function insertDetails(editor: Editor, title: string): void {
  const { state, view } = editor;
  const { $from, $to } = state.selection;
  const { details, summary } = state.schema.nodes;
  if (!details || !summary) return;
  // Such as a list and not its items.
  const range = $from.blockRange($to, ({ type }) => type.contentMatch.matchType(details) !== null);
  if (!range) return;
  const content = Fragment.from(summary.create(null, state.schema.text(title))).append(
    range.parent.content.cut(range.start - range.$from.start(range.depth), range.end - range.$from.start(range.depth)),
  );
  const tr = state.tr.replaceWith(range.start, range.end, details.create(null, content));
  tr.setSelection(TextSelection.create(tr.doc, range.start + 2, range.start + 2 + title.length));
  view.dispatch(tr.scrollIntoView());
  view.focus();
}

/** Sets the language of the code block around the cursor; "" for none. */
export function setLanguage({ state, view }: Editor, language: string): void {
  const block = around(state.selection.$from, "codeBlock");
  if (!block) return;
  const code: Kept = block.node.attrs.code;
  const classes = (code?.class ?? "").split(/\s+/).filter((each) => each !== "" && !each.startsWith("language-"));
  const next = withClasses(code, language === "" ? classes : [...classes, `language-${language}`]);
  view.dispatch(state.tr.setNodeMarkup(block.pos, null, { ...block.node.attrs, hasCode: true, code: next }));
}
