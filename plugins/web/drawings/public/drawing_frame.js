// The document around draw.io: passes what it says to the screen, and what the screen says to it, and hears nobody else.

const { address, origin } = document.currentScript.dataset;
const PNG = /^data:image\/png;base64,[A-Za-z0-9+/=]+$/;
const editor = document.createElement("iframe");
editor.src = address;
editor.title = "draw.io";
// It cannot lead the screen away.
for (const name of ["scripts", "same-origin", "forms", "popups", "modals", "downloads"])
  editor.sandbox.add(`allow-${name}`);

let drawing = "";
const say = (message) => editor.contentWindow.postMessage(JSON.stringify(message), origin);
const tell = (message) => parent.postMessage(message, location.origin);

const EVENTS = {
  configure: () => say({ action: "configure", config: {} }),
  init: () => say({ action: "load", autosave: 0, xml: drawing }),
  // The picture contains the drawing, so that it can be changed again.
  save: ({ xml }) => say({ action: "export", format: "xmlpng", xml: String(xml ?? ""), spin: "…" }),
  export: ({ data }) => {
    if (typeof data === "string" && PNG.test(data)) tell({ kind: "drawn", picture: data });
  },
  exit: () => tell({ kind: "closed" }),
};

function heard(text) {
  try {
    const message = JSON.parse(text);
    if (Object.hasOwn(EVENTS, message.event)) EVENTS[message.event](message);
  } catch {
    // Other programs in that page may send what they like.
  }
}

addEventListener("message", ({ source, origin: from, data }) => {
  if (source === parent && from === location.origin && data?.kind === "open") {
    drawing = data.picture;
    document.body.append(editor);
  }
  if (source === editor.contentWindow && from === origin && typeof data === "string") heard(data);
});
tell({ kind: "ready" });
