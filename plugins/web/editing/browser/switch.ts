/** The switch between the rich editor and the source, and the memory of what the writer chose. */
import { make, type Texts } from "./screen.ts";

/** An editor that opens. */
export type Mode = "rich" | "source";

/** Makes the switch. */
export function editorSwitch(texts: Texts, choose: (mode: Mode) => void): HTMLElement {
  const button = (mode: Mode) =>
    make(
      "button",
      { type: "button", class: "small secondary outline", "data-mode": mode, onclick: () => choose(mode) },
      texts[mode],
    );
  return make(
    "div",
    { class: "rich-switch", role: "group", "aria-label": texts.editor },
    button("rich"),
    button("source"),
  );
}

/** Remembers the editor in the account. Without a connection the choice is for this screen alone. */
export function rememberEditor(address: string, mode: Mode): void {
  const body = new FormData();
  body.set("editor", mode);
  const headers = { accept: "application/json" };
  const sent = fetch(address, { method: "POST", body, headers, redirect: "error", keepalive: true });
  sent.catch(() => {});
}
