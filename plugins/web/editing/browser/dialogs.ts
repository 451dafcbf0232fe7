/** Dialogs of the editor: the address and text of a link, and colours. */
import type { Editor } from "@tiptap/core";
import { declarationsIn } from "./elements.ts";
import { linkAt, marksAt, setLink, setStyle } from "./inline.ts";
import { askLink } from "./link_dialog.ts";
import { ask, make, type Texts } from "./screen.ts";

/** Asks for a link, and sets it. */
export async function linkDialog(editor: Editor, texts: Texts): Promise<void> {
  const { state } = editor;
  const old = linkAt(state);
  const { from, to, empty } = state.selection;
  const range = empty && old ? old : { from, to };
  const text = state.doc.textBetween(range.from, range.to, " ");
  const written = await askLink(texts, { address: old?.mark.attrs.kept?.href ?? "", text }, old !== undefined);
  if (written) setLink(written.address, written.text)(editor.state, editor.view.dispatch);
  editor.view.focus();
}

/** Asks for colours of the selected text, and sets them. */
export async function coloursDialog(editor: Editor, texts: Texts): Promise<void> {
  const styles = marksAt(editor.state).map(({ attrs }) => String(attrs.kept?.style ?? ""));
  const colourOf = (property: string, initial: string) => {
    const found = styles
      .flatMap(declarationsIn)
      .find(([name, value]) => name === property && /^#[0-9a-f]{6}$/i.test(value));
    return found?.[1] ?? initial;
  };
  const colour = make("input", { type: "color", id: "rich-colour", value: colourOf("color", "#b00020") });
  const back = make("input", { type: "color", id: "rich-back", value: colourOf("background-color", "#fff3a3") });
  const chosen = await ask(
    texts.colours ?? "",
    [
      make("label", { for: colour.id }, texts.textColour),
      colour,
      make("label", { for: back.id }, texts.background),
      back,
    ],
    [
      { text: texts.setTextColour ?? "", value: "color", isMain: true },
      { text: texts.setBackground ?? "", value: "background-color" },
      { text: texts.removeColours ?? "", value: "remove" },
      { text: texts.cancel ?? "", value: "" },
    ],
  );
  const set = (property: "color" | "background-color", value: string) =>
    setStyle(property, value)(editor.state, editor.view.dispatch);
  if (chosen === "color") set("color", colour.value);
  if (chosen === "background-color") set("background-color", back.value);
  if (chosen === "remove") {
    set("color", "");
    set("background-color", "");
  }
  editor.view.focus();
}
