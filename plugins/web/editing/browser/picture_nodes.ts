/**
 * Changes to pictures in the document of the rich editor: descriptions, captions, sizes and alignment, each one step of undo. They are written as
 * the original's pages have them: alignment is a class of the picture and its width an attribute, and a caption makes a figure of it.
 * What is drawn of them is in `picture_tools.ts`.
 */
import type { Editor } from "@tiptap/core";
import type { Node } from "@tiptap/pm/model";
import { type EditorState, NodeSelection, type Transaction } from "@tiptap/pm/state";
import type { Kept } from "./elements.ts";
import type { PictureDescription } from "./picture_descriptions.ts";

/** A picture in the document. */
export interface PlacedPicture {
  readonly pos: number;
  readonly kept: Readonly<Record<string, string>>;
}

const ALIGNED = /^align-(?:left|right|center)$/;

/** The picture that is selected; undefined for any other selection. */
export function selectedPicture({ selection }: EditorState): PlacedPicture | undefined {
  if (!(selection instanceof NodeSelection) || selection.node.type.name !== "image") return undefined;
  return { pos: selection.from, kept: selection.node.attrs.kept ?? {} };
}

/** Sets attributes of a picture; undefined removes one. It stays selected. */
export function setPicture(
  { view }: Editor,
  { pos, kept }: PlacedPicture,
  change: Readonly<Record<string, string | undefined>>,
): void {
  const pairs = Object.entries({ ...kept, ...change }).filter(
    (pair): pair is [string, string] => pair[1] !== undefined,
  );
  const tr = view.state.tr.setNodeAttribute(pos, "kept", Object.fromEntries(pairs));
  view.dispatch(tr.setSelection(NodeSelection.create(tr.doc, pos)));
}

/** The alignment of a picture; undefined for none. */
export function pictureAlignment({ kept }: PlacedPicture): string | undefined {
  return kept.class
    ?.split(/\s+/)
    .find((each) => ALIGNED.test(each))
    ?.slice("align-".length);
}

/** Aligns a picture; undefined takes the alignment away. */
export function alignPicture(
  editor: Editor,
  picture: PlacedPicture,
  to: "left" | "right" | "center" | undefined,
): void {
  const others = (picture.kept.class ?? "").split(/\s+/).filter((each) => each !== "" && !ALIGNED.test(each));
  const classes = to === undefined ? others : [...others, `align-${to}`];
  setPicture(editor, picture, { class: classes.length === 0 ? undefined : classes.join(" ") });
}

/** What has the caption of a picture: a figure around it, or its title, as Markdown has no figures. */
export type CaptionForm = "figure" | "title";

/** The caption of a picture. */
export function captionOf({ doc }: EditorState, { pos, kept }: PlacedPicture, form: CaptionForm): string {
  return form === "title" ? (kept.title ?? "") : (figureAt(doc, pos)?.caption?.node.textContent ?? "");
}

/** Writes the caption of a picture; an empty one takes it away. */
export function setCaption(editor: Editor, picture: PlacedPicture, text: string, form: CaptionForm): void {
  const { state, view } = editor;
  const tr = form === "figure" ? captioned(state.tr, picture, text) : undefined;
  if (tr?.docChanged) view.dispatch(tr);
  if (form === "title") setPicture(editor, picture, { title: text === "" ? undefined : text });
}

/** Writes what a picture shows, wherever it is in the document. */
export function describePicture(editor: Editor, { url, alt, caption }: PictureDescription, form: CaptionForm): void {
  const { doc } = editor.state;
  let found: PlacedPicture | undefined;
  doc.descendants((node, pos) => {
    if (node.type.name === "image" && node.attrs.kept?.src === url) found ??= { pos, kept: node.attrs.kept };
    return found === undefined;
  });
  if (!found) return;
  const { title: _, ...kept } = found.kept;
  const title = form === "title" && caption !== "" ? { title: caption } : {};
  const tr = editor.state.tr.setNodeAttribute(found.pos, "kept", { ...kept, alt, ...title });
  editor.view.dispatch((form === "figure" && captioned(tr, found, caption)) || tr);
}

interface Place {
  readonly node: Node;
  readonly pos: number;
}

/** The figure around a picture, with its caption. */
function figureAt(doc: Node, pos: number): { figure: Place; caption: Place | undefined } | undefined {
  const at = doc.resolve(pos);
  for (let depth = at.depth; depth > 0; depth--) {
    const node = at.node(depth);
    if (node.type.name !== "container" || node.attrs.tag !== "figure") continue;
    const figure = { node, pos: at.before(depth) };
    let caption: Place | undefined;
    node.forEach((child, offset) => {
      if (child.type.name === "container" && child.attrs.tag === "figcaption")
        caption = { node: child, pos: figure.pos + 1 + offset };
    });
    return { figure, caption };
  }
  return undefined;
}

/** The change of a caption; undefined where there is nothing to change, and in blocks that hold no figure. */
function captioned(tr: Transaction, { pos }: PlacedPicture, text: string): Transaction | undefined {
  const { schema } = tr.doc.type;
  const found = figureAt(tr.doc, pos);
  const bare = (content: Node | readonly Node[]) => schema.node("paragraph", { kept: null, form: "bare" }, content);
  const made = () => schema.node("container", { kept: null, tag: "figcaption" }, bare(schema.text(text)));
  if (found) {
    const { figure, caption } = found;
    const end = figure.pos + figure.node.nodeSize - 1;
    if (text !== "")
      return tr.replaceWith(caption?.pos ?? end, caption ? caption.pos + caption.node.nodeSize : end, made());
    if (!caption) return undefined;
    tr.delete(caption.pos, caption.pos + caption.node.nodeSize);
    const rest = tr.doc.nodeAt(figure.pos);
    // A figure of its own making, with nothing but the picture, becomes a paragraph again.
    if (rest?.childCount === 1 && isEmptyKept(figure.node.attrs.kept) && rest.firstChild?.type.name === "paragraph")
      tr.replaceWith(figure.pos, figure.pos + rest.nodeSize, schema.node("paragraph", null, rest.firstChild.content));
    return tr;
  }
  const at = tr.doc.resolve(pos);
  const image = at.nodeAfter;
  if (text === "" || !image || at.parent.type.name !== "paragraph") return undefined;
  const figure = schema.node("container", { kept: null, tag: "figure" }, [bare(image), made()]);
  if (at.parent.childCount === 1) return tr.replaceWith(at.before(), at.after(), figure);
  // With text beside it, the picture moves below its paragraph.
  return tr.insert(at.after(), figure).delete(pos, pos + image.nodeSize);
}

function isEmptyKept(kept: Kept): boolean {
  return kept === null || Object.keys(kept).length === 0;
}
