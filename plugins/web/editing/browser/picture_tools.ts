/**
 * The tools of the picture that is selected: what it shows, its caption, width and alignment in a bar below the toolbar, and handles at its
 * corners, which are dragged or moved by arrow keys. The frame with the handles lies above the text and is no part of it; a width becomes
 * part of the document when a drag ends.
 */
import type { Editor } from "@tiptap/core";
import { Plugin } from "@tiptap/pm/state";
import { icon } from "./icons.ts";
import {
  alignPicture,
  type CaptionForm,
  captionOf,
  type PlacedPicture,
  pictureAlignment,
  selectedPicture,
  setCaption,
  setPicture,
} from "./picture_nodes.ts";
import { make, type Texts } from "./screen.ts";

/** The tools, and the plugin that shows them. */
export interface PictureTools {
  readonly element: HTMLElement;
  readonly plugin: Plugin;
}

/** What the tools get from the screen. */
export interface PictureToolsOptions {
  readonly texts: Texts;
  /** The element around the editor. */
  readonly place: HTMLElement;
  readonly captions: CaptionForm;
}

const LEAST = 24;
const MOST = 4000;
const STEP = 10;
const ALIGNMENTS = ["left", "center", "right"] as const;
const CORNERS = ["start-start", "start-end", "end-start", "end-end"] as const;

/** Makes the tools for an editor whose elements are in `place`. */
export function pictureTools(editor: () => Editor, { texts, place, captions }: PictureToolsOptions): PictureTools {
  const picture = () => selectedPicture(editor().state);
  const bar = pictureBar(editor, texts, captions);
  const frame = handles(editor, texts);
  place.append(frame.element);
  const show = () => {
    const selected = picture();
    bar.element.hidden = selected === undefined;
    frame.element.hidden = selected === undefined;
    if (!selected) return;
    bar.show(selected);
    frame.show(selected);
  };
  const observer = new ResizeObserver(show);
  return {
    element: bar.element,
    plugin: new Plugin({
      view: (view) => {
        observer.observe(view.dom);
        return {
          update: show,
          destroy: () => {
            observer.disconnect();
            frame.element.remove();
          },
        };
      },
    }),
  };
}

function pictureBar(editor: () => Editor, texts: Texts, captions: CaptionForm) {
  const withPicture = (run: (picture: PlacedPicture) => void) => () => {
    const picture = selectedPicture(editor().state);
    if (picture) run(picture);
  };
  const field = (name: "alt" | "caption" | "width", run: (picture: PlacedPicture, value: string) => void) => {
    const input = make("input", {
      id: `rich-picture-${name}`,
      autocomplete: "off",
      ...(name === "width" ? { type: "number", min: String(LEAST), max: String(MOST) } : { maxlength: "500" }),
    });
    input.addEventListener(
      "change",
      withPicture((picture) => run(picture, input.value.trim())),
    );
    // Keys of the form, such as Enter, are not meant; Escape goes back to the text.
    input.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== "Escape") return;
      event.preventDefault();
      input.dispatchEvent(new Event("change"));
      editor().view.focus();
    });
    input.addEventListener("input", (event) => event.stopPropagation());
    const label = texts[`picture-${name}`];
    return {
      input,
      box: make("div", { class: `rich-picture-${name}` }, make("label", { for: input.id }, label), input),
    };
  };
  const alt = field("alt", (picture, value) => setPicture(editor(), picture, { alt: value }));
  const caption = field("caption", (picture, value) => setCaption(editor(), picture, value, captions));
  const width = field("width", (picture, value) => resize(editor(), picture, value === "" ? undefined : Number(value)));
  const buttons = ALIGNMENTS.map((to) => {
    const label = texts[`align-${to}`] ?? to;
    const run = withPicture((picture) =>
      alignPicture(editor(), picture, pictureAlignment(picture) === to ? undefined : to),
    );
    const attributes = {
      type: "button",
      class: "small secondary outline",
      "aria-label": label,
      title: label,
      onclick: run,
    };
    return make("button", attributes, icon(`align-${to}`));
  });
  const element = make(
    "div",
    { class: "rich-picture", role: "group", "aria-label": texts.picture, hidden: true },
    ...[alt.box, caption.box, width.box],
    make("span", { class: "rich-group rich-toolbar" }, ...buttons),
  );
  const show = (picture: PlacedPicture) => {
    const { state } = editor();
    const values = [
      [alt.input, picture.kept.alt ?? ""],
      [caption.input, captionOf(state, picture, captions)],
      [width.input, /^\d+$/.test(picture.kept.width ?? "") ? (picture.kept.width ?? "") : ""],
    ] as const;
    for (const [input, value] of values) if (input !== input.ownerDocument.activeElement) input.value = value;
    for (const [index, button] of buttons.entries())
      button.setAttribute("aria-pressed", String(pictureAlignment(picture) === ALIGNMENTS[index]));
  };
  return { element, show };
}

/** Sets the width of a picture in pixels; undefined for that of the file. */
function resize(editor: Editor, picture: PlacedPicture, wanted: number | undefined): void {
  const width = wanted === undefined || Number.isNaN(wanted) ? undefined : clamped(wanted);
  setPicture(editor, picture, { width: width === undefined ? undefined : String(width), height: undefined });
}

function clamped(width: number): number {
  return Math.min(MOST, Math.max(LEAST, Math.round(width)));
}

/** The frame around the picture, with a handle at each corner; one of them is a stop of the Tab key. */
function handles(editor: () => Editor, texts: Texts) {
  const corners = CORNERS.map((corner, index) =>
    make("span", {
      class: `rich-handle ${corner}`,
      ...(index === CORNERS.length - 1 && {
        role: "slider",
        tabindex: "0",
        "aria-label": texts["picture-width"],
        "aria-valuemin": String(LEAST),
        "aria-valuemax": String(MOST),
      }),
    }),
  );
  const slider = corners.at(-1);
  const element = make("div", { class: "rich-frame", hidden: true }, ...corners);
  const imageOf = (picture: PlacedPicture) => {
    const drawn = editor().view.nodeDOM(picture.pos);
    return drawn instanceof HTMLImageElement ? drawn : undefined;
  };
  const show = (picture: PlacedPicture) => {
    const image = imageOf(picture);
    const around = element.parentElement?.getBoundingClientRect();
    if (!image || !around) return;
    if (!image.complete) image.addEventListener("load", () => show(picture), { once: true });
    const { left, top, width, height } = image.getBoundingClientRect();
    Object.assign(element.style, {
      left: `${left - around.left}px`,
      top: `${top - around.top}px`,
      width: `${width}px`,
      height: `${height}px`,
    });
    slider?.setAttribute("aria-valuenow", String(Math.round(width)));
  };
  slider?.addEventListener("keydown", (event) => {
    const step = { ArrowRight: STEP, ArrowUp: STEP, ArrowLeft: -STEP, ArrowDown: -STEP }[event.key];
    const picture = selectedPicture(editor().state);
    const image = picture && imageOf(picture);
    if (event.key === "Escape") editor().view.focus();
    if (step === undefined || !picture || !image) return;
    event.preventDefault();
    resize(editor(), picture, image.width + step);
  });
  for (const [index, corner] of corners.entries())
    corner.addEventListener("pointerdown", (event) => {
      const picture = selectedPicture(editor().state);
      const image = picture && imageOf(picture);
      if (!picture || !image) return;
      event.preventDefault();
      corner.setPointerCapture(event.pointerId);
      const [from, before] = [event.clientX, image.width];
      const isRightToLeft = getComputedStyle(element).direction === "rtl";
      const sign = CORNERS[index]?.startsWith("end") === isRightToLeft ? -1 : 1;
      const widthAt = ({ clientX }: PointerEvent) => clamped(before + sign * (clientX - from));
      const move = (moved: PointerEvent) => {
        image.style.width = `${widthAt(moved)}px`;
        image.style.height = "auto";
        show(picture);
      };
      const end = (ended: PointerEvent) => {
        corner.removeEventListener("pointermove", move);
        image.style.width = image.style.height = "";
        if (ended.type === "pointerup" && widthAt(ended) !== before) resize(editor(), picture, widthAt(ended));
        else show(picture);
      };
      corner.addEventListener("pointermove", move);
      for (const name of ["pointerup", "pointercancel"] as const) corner.addEventListener(name, end, { once: true });
    });
  return { element, show };
}
