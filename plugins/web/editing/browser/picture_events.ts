/** What other scripts tell the rich editor of pictures, by events of the form. */
import type { Editor } from "@tiptap/core";
import type { PictureDescription } from "./picture_descriptions.ts";
import { type CaptionForm, describePicture } from "./picture_nodes.ts";
import { beginPicture, endPicture, type PictureProgress, showProgress } from "./pictures.ts";

/** The editor that is open, and what has captions in it. */
export interface OpenEditor {
  readonly editor: Editor;
  readonly captions: CaptionForm;
}

/** Places pictures in the editor that is open, shows their progress, and writes what is said of them. */
export function listenForPictures(form: HTMLFormElement, open: () => OpenEditor | undefined): void {
  const on = <Detail>(name: string, run: (detail: Detail, open: OpenEditor) => void) =>
    EventTarget.prototype.addEventListener.call(form, name, (event) => {
      const found = open();
      if (found) run((event as CustomEvent<Detail>).detail, found);
    });
  on<{ key: string; name: string }>("lectern-picture-begun", ({ key, name }, { editor }) =>
    beginPicture(editor, key, name),
  );
  on<PictureProgress>("lectern-picture-progress", showProgress);
  on<{ key: string; name: string; url: string }>("lectern-picture-ended", ({ key, name, url }, { editor }) =>
    endPicture(editor, key, url, name),
  );
  on<PictureDescription>("lectern-picture-described", (description, { editor, captions }) =>
    describePicture(editor, description, captions),
  );
}
