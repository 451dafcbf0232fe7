/**
 * The keys of the screens, as a screen of its own, which scripts open in a dialog by "?" and by the link in the footer. What a key does is said
 * where it is listened to; keys of plugins are not listed.
 */
import type { Screen, Ui, Web } from "lectern/contracts";
import { type Html, html } from "lectern/core";
import type { ShellContext } from "./contract.ts";

/** The path of the screen. */
export const KEYS_PATH = "/keys";

interface KeyGroup {
  readonly title: string;
  /** Keys, separated by spaces where each of them does it, with those held at the same time joined by "+"; and what they do. */
  readonly keys: readonly (readonly [keys: string, text: string])[];
}

const GROUPS: readonly KeyGroup[] = [
  {
    title: "On every screen",
    keys: [
      ["ctrl+k /", "Go to a page or an action"],
      ["?", "Keyboard shortcuts"],
      ["esc", "Close what is open"],
    ],
  },
  {
    title: "Contents of a book",
    keys: [
      ["alt+↑ alt+↓", "Move the entry up or down"],
      ["alt+→ alt+←", "Move the page into a chapter or out of it"],
    ],
  },
  {
    title: "Editor",
    keys: [
      ["ctrl+s", "Save and continue"],
      ["ctrl+enter", "Save and close"],
      ["ctrl+f ctrl+h", "Find and replace"],
      ["ctrl+z ctrl+y", "Undo and redo"],
      ["ctrl+b ctrl+i ctrl+u", "Bold, italic, underlined"],
      ["ctrl+k", "Link"],
      ["ctrl+alt+2", "Heading"],
      ["ctrl+shift+7", "Numbered list"],
      ["ctrl+shift+8", "List"],
      ["ctrl+shift+9", "Task list"],
    ],
  },
];

/** Keys by their names, which differ on keyboards of other languages. */
const NAMES: Readonly<Record<string, string>> = {
  alt: "Alt",
  ctrl: "Ctrl",
  enter: "Enter",
  esc: "Esc",
  shift: "Shift",
};

/** Mounts the screen. */
export function mountKeys({ app }: Pick<ShellContext, "app">, web: Pick<Web, "screen" | "view">): void {
  const view = web.view("web/keys", (_, ui) => draw(ui));
  web.screen(app.site, KEYS_PATH, "public", ({ ui }): Screen => {
    return { title: ui.t("Keyboard shortcuts"), body: view({}, ui) };
  });
}

function draw(ui: Ui): Html {
  const { t } = ui;
  const nameOf = (key: string) => {
    const name = NAMES[key];
    return name === undefined ? key.toUpperCase() : t(name);
  };
  const written = (keys: string) => keys.split("+").map(nameOf);
  return html`<section class="confirm keys" aria-labelledby="confirm-title"><h1 id="confirm-title">${t("Keyboard shortcuts")}</h1>
${GROUPS.map(
  ({ title, keys }) => html`<h2>${t(title)}</h2>
<dl>${keys.map(
    ([each, text]) =>
      html`<div><dt>${each.split(" ").map((keys) => html`<kbd>${written(keys).join("+")}</kbd> `)}</dt><dd>${t(text)}</dd></div>`,
  )}</dl>`,
)}
<p class="quiet">${t("On a Mac, press Cmd in place of Ctrl.")}</p>
<div class="ends"><a role="button" class="secondary" href="${ui.url("/")}" data-close autofocus>${t("Close")}</a></div></section>`;
}
