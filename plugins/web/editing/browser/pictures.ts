/**
 * Pictures that are pasted, dropped or chosen: `public/editor.js` checks and uploads them. While one is uploaded, a mark is in its place,
 * which moves with the text and is no part of the document, so that undo knows the picture alone.
 */
import type { Editor } from "@tiptap/core";
import { Plugin, PluginKey, Selection } from "@tiptap/pm/state";
import { Decoration, DecorationSet } from "@tiptap/pm/view";
import { filled, make, type Texts } from "./screen.ts";

const PLACES = new PluginKey<DecorationSet>("pictures");

/** The progress bars in the text, by the keys of their pictures. */
const BARS = new Map<string, HTMLProgressElement>();

/** How much of a picture is uploaded, from 0 to 1. */
export interface PictureProgress {
  readonly key: string;
  readonly part: number;
}

/** Shows how much of a picture is uploaded, in its place. */
export function showProgress({ key, part }: PictureProgress): void {
  const bar = BARS.get(key);
  if (bar) bar.value = part;
}

type Change =
  | { readonly add: { readonly key: string; readonly name: string; readonly at: number } }
  | { readonly remove: string };

/** The plugin with the places of pictures. */
export function picturePlaces(form: HTMLFormElement, texts: Texts): Plugin {
  const take = (files: readonly File[]) =>
    EventTarget.prototype.dispatchEvent.call(form, new CustomEvent("lectern-files", { detail: files }));
  return new Plugin({
    key: PLACES,
    state: {
      init: () => DecorationSet.empty,
      apply(tr, set) {
        const moved = set.map(tr.mapping, tr.doc);
        const change = tr.getMeta(PLACES) as Change | undefined;
        if (!change) return moved;
        if ("remove" in change)
          return moved.remove(moved.find(undefined, undefined, ({ key }) => key === change.remove));
        const { key, name, at } = change.add;
        const label = filled(texts.uploading, { name });
        const bar = make("progress", { max: "1", value: "0", "aria-label": label });
        const mark = make("span", { class: "rich-uploading" }, label, bar);
        BARS.set(key, bar);
        return moved.add(tr.doc, [Decoration.widget(at, mark, { key, side: -1 })]);
      },
    },
    props: {
      decorations: (state) => PLACES.getState(state),
      handlePaste(_view, { clipboardData }) {
        const files = [...(clipboardData?.files ?? [])];
        // Word processors copy text together with an image of it: the text is meant.
        if (files.length === 0 || clipboardData?.getData("text/plain") !== "") return false;
        take(files);
        return true;
      },
      handleDrop(view, event) {
        const files = [...(event.dataTransfer?.files ?? [])];
        if (files.length === 0) return false;
        event.preventDefault();
        const at = view.posAtCoords({ left: event.clientX, top: event.clientY });
        if (at)
          view.dispatch(
            view.state.tr.setMeta("addToHistory", false).setSelection(Selection.near(view.state.doc.resolve(at.pos))),
          );
        take(files);
        return true;
      },
    },
  });
}

/** Marks the place of a picture at the cursor. */
export function beginPicture({ view }: Editor, key: string, name: string): void {
  const at = view.state.selection.to;
  view.dispatch(view.state.tr.setMeta(PLACES, { add: { key, name, at } } satisfies Change));
}

/** Puts the picture into its place, or at the cursor where it was begun in another editor; without an address the place is given up. */
export function endPicture({ view }: Editor, key: string, url: string, name: string): void {
  const { state } = view;
  BARS.delete(key);
  const [place] = PLACES.getState(state)?.find(undefined, undefined, (spec) => spec.key === key) ?? [];
  const tr = state.tr.setMeta(PLACES, { remove: key } satisfies Change);
  if (url !== "") {
    const at = place?.from ?? state.selection.to;
    const picture = state.schema.node("image", { kept: { src: url, alt: name.replace(/\.\w+$/, "") } });
    const isText = tr.doc.resolve(at).parent.inlineContent;
    tr.insert(at, isText ? picture : state.schema.node("paragraph", null, picture));
  }
  view.dispatch(tr);
}
