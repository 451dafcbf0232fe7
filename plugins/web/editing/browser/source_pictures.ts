/**
 * Pictures that are pasted, dropped or chosen: `public/editor.js` checks and uploads them. While one is uploaded, a mark is in its place,
 * which moves with the text and is no part of it, so that undo knows the picture alone.
 */
import { isolateHistory } from "@codemirror/commands";
import { type EditorState, type Extension, StateEffect, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, WidgetType } from "@codemirror/view";
import { filled, make, type Texts } from "./screen.ts";
import { apart, pictureText } from "./source_insert.ts";
import type { Format } from "./source_text.ts";

class Uploading extends WidgetType {
  readonly key: string;
  readonly text: string;
  constructor(key: string, text: string) {
    super();
    this.key = key;
    this.text = text;
  }
  override eq(other: Uploading): boolean {
    return other.key === this.key;
  }
  override toDOM(): HTMLElement {
    return make("span", { class: "rich-uploading", "data-picture": this.key }, this.text);
  }
}

const begun = StateEffect.define<{ readonly at: number; readonly key: string; readonly text: string }>();
/** Where the places that begin at the one that ends go on. */
const ended = StateEffect.define<{ readonly key: string; readonly after: number }>();

const widget = (key: string, text: string) => Decoration.widget({ widget: new Uploading(key, text), side: -1, key });

/** The places of pictures that are uploaded. */
const PLACES = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(places, { changes, effects, startState }) {
    let moved = places.map(changes);
    for (const effect of effects) {
      if (effect.is(begun)) {
        const { at, key, text } = effect.value;
        moved = moved.update({ add: [widget(key, text).range(at)], sort: true });
      }
      if (effect.is(ended)) {
        const { key, after } = effect.value;
        const at = placeOf(startState.field(PLACES), key);
        const later = places.iter();
        const pushed: ReturnType<Decoration["range"]>[] = [];
        for (; later.value; later.next())
          if (later.from === at && later.value.spec.key !== key) pushed.push(later.value.range(after));
        const isLeft = ({ spec }: Decoration) =>
          spec.key !== key && !pushed.some(({ value }) => value.spec.key === spec.key);
        moved = moved.update({ filter: (_from, _to, value) => isLeft(value), add: pushed, sort: true });
      }
    }
    return moved;
  },
  provide: (field) => EditorView.decorations.from(field),
});

function placeOf(places: DecorationSet, key: string): number | undefined {
  for (const each = places.iter(); each.value; each.next()) if (each.value.spec.key === key) return each.from;
  return undefined;
}

/** What takes pictures. `take` hands files to the script that uploads them. */
export function pictures(take: (files: readonly File[]) => void): Extension {
  return [
    PLACES,
    EditorView.domEventHandlers({
      paste({ clipboardData }) {
        const files = [...(clipboardData?.files ?? [])];
        // Word processors copy text together with an image of it: the text is meant.
        if (files.length === 0 || clipboardData?.getData("text/plain") !== "") return false;
        take(files);
        return true;
      },
      drop(event, view) {
        const files = [...(event.dataTransfer?.files ?? [])];
        if (files.length === 0) return false;
        event.preventDefault();
        const at = view.posAtCoords({ x: event.clientX, y: event.clientY });
        if (at !== null) view.dispatch({ selection: { anchor: at } });
        take(files);
        return true;
      },
    }),
  ];
}

/** Marks the place of a picture at the cursor. */
export function beginPicture(view: EditorView, texts: Texts, { key, name }: { key: string; name: string }): void {
  const at = view.state.selection.main.to;
  view.dispatch({ effects: begun.of({ at, key, text: filled(texts.uploading, { name }) }) });
}

/** A picture between words. */
function spaced({ doc }: EditorState, at: number, picture: string): string {
  const [before, after] = [doc.sliceString(at - 1, at), doc.sliceString(at, at + 1)];
  return `${/[\s>]/.test(before) ? "" : " "}${picture}${/[\s<]/.test(after) ? "" : " "}`;
}

/** Shows how much of a picture is uploaded, as a part of 1. */
export function showProgress(view: EditorView, { key, part }: { key: string; part: number }): void {
  const mark = view.dom.querySelector(`[data-picture="${key}"]`);
  const percent = new Intl.NumberFormat(undefined, { style: "percent" }).format(part);
  if (mark) mark.textContent = `${(mark.textContent ?? "").replace(/ \([^()]*\)$/, "")} (${percent})`;
}

/**
 * Puts the picture into its place, or at the cursor where it was begun in another editor; without an address the place is given up. It is a
 * paragraph of its own, unless its place is within a line.
 */
export function endPicture(
  view: EditorView,
  format: Format,
  { key, name, url }: { key: string; name: string; url: string },
): void {
  const { state } = view;
  const found = placeOf(state.field(PLACES), key);
  const at = found ?? state.selection.main.to;
  const line = state.doc.lineAt(at);
  const isWithin = at > line.from && at < line.to;
  const picture = pictureText(format, url, name);
  const whole = isWithin
    ? spaced(state, at, picture)
    : apart(state, at, format === "html" ? `<p>${picture}</p>` : picture);
  const insert = url === "" ? "" : whole;
  const effects = ended.of({ key, after: at + insert.length });
  const isAtCursor = state.selection.main.empty && state.selection.main.head === at;
  view.dispatch({
    effects,
    ...(insert !== "" && { changes: { from: at, insert } }),
    ...(isAtCursor && { selection: { anchor: at + insert.length } }),
    userEvent: "input.picture",
    annotations: isolateHistory.of("full"),
  });
}
