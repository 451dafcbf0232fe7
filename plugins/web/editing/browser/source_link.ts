/** Links of the source editor: their dialog, and addresses that are pasted over a selection. */
import { type Extension, Prec } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { isSafeAddress } from "./elements.ts";
import { askLink } from "./link_dialog.ts";
import type { Texts } from "./screen.ts";
import { linkAt, setLink } from "./source_insert.ts";
import type { Format } from "./source_text.ts";

/** Asks for a link, and sets it. */
export async function sourceLinkDialog(view: EditorView, format: Format, texts: Texts): Promise<void> {
  const { state } = view;
  const { from, to } = state.selection.main;
  const old = linkAt(state, format);
  const range = old ?? { from, to, text: state.sliceDoc(from, to), address: "" };
  const written = await askLink(texts, range, old !== undefined);
  if (written) setLink(view, format, { ...range, ...written });
  view.focus();
}

/** An address that is pasted over selected text links the text. */
export function pastedLinks(format: Format): Extension {
  return Prec.high(
    EditorView.domEventHandlers({
      paste({ clipboardData }, view) {
        const address = clipboardData?.getData("text/plain").trim() ?? "";
        const { from, to, empty } = view.state.selection.main;
        const text = view.state.sliceDoc(from, to);
        const isLink = /^(?:https?:\/\/|mailto:)\S+$/i.test(address) && isSafeAddress(address);
        if (!isLink || empty || /\n|^(?:https?:\/\/|mailto:)\S+$/i.test(text)) return false;
        return setLink(view, format, { from, to, text, address });
      },
    }),
  );
}
