// Within the frame: draws the diagram of each message, and answers with its SVG or the reason why there is none. The screen around it checks
// the answer again (`diagrams.js`), since nothing that comes from here is trusted there.

const HUGE_TEXT = 50_000;
const HUGE_EDGES = 1000;
const SVG = "http://www.w3.org/2000/svg";
const XLINK = "http://www.w3.org/1999/xlink";

// The text of a diagram sets no option that is named in `secure`.
function begin(theme) {
  const plain = { htmlLabels: false, useMaxWidth: false };
  mermaid.initialize({
    startOnLoad: false,
    securityLevel: "strict",
    suppressErrorRendering: true,
    maxTextSize: HUGE_TEXT,
    maxEdges: HUGE_EDGES,
    // Pictures load no fonts, so what is measured here is what is shown there.
    fontFamily: "sans-serif",
    theme,
    ...plain,
    flowchart: plain,
    class: plain,
    state: plain,
    secure: [
      ...["secure", "securityLevel", "startOnLoad", "maxTextSize", "maxEdges", "suppressErrorRendering"],
      ...["htmlLabels", "fontFamily", "themeCSS", "dompurifyConfig", "logLevel"],
    ],
  });
}

// The SVG as XML, with its size, without what leads elsewhere. HTML within it becomes text, as pictures show it unevenly; in a `switch` there is
// such a text beside it.
function pictureOf(svg) {
  const { body } = new DOMParser().parseFromString(svg, "text/html");
  const root = body.querySelector("svg");
  for (const part of root.querySelectorAll("foreignObject"))
    if (part.closest("switch")) part.remove();
    else part.replaceWith(asText(part));
  for (const part of root.querySelectorAll("script, image, iframe, a")) part.replaceWith(...part.childNodes);
  for (const part of root.querySelectorAll("*"))
    for (const { name, value } of [...part.attributes])
      if (/^on/i.test(name) || (/href$/i.test(name) && !value.startsWith("#"))) part.removeAttribute(name);
  const title = root.querySelector(":scope > title")?.textContent ?? "";
  const [, , width, height] = (root.getAttribute("viewBox") ?? "").split(/[\s,]+/).map(Number);
  root.removeAttribute("style");
  root.setAttribute("width", width);
  root.setAttribute("height", height);
  root.setAttributeNS("http://www.w3.org/2000/xmlns/", "xmlns:xlink", XLINK);
  return { svg: new XMLSerializer().serializeToString(root), width, height, title: title.trim() };
}

// The lines of a label, in the middle of its box.
function asText(label) {
  const text = document.createElementNS(SVG, "text");
  const size = (name) => Number(label.getAttribute(name) ?? 0);
  const lines = label.textContent
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  text.setAttribute("text-anchor", "middle");
  text.setAttribute("dominant-baseline", "central");
  for (const [index, line] of lines.entries()) {
    const span = document.createElementNS(SVG, "tspan");
    span.setAttribute("x", size("x") + size("width") / 2);
    span.setAttribute("y", size("y") + (size("height") * (index + 0.5)) / lines.length);
    span.textContent = line;
    text.append(span);
  }
  return text;
}

async function draw({ id, text, isDark }) {
  try {
    begin(isDark ? "dark" : "default");
    const { svg } = await mermaid.render(`diagram-${id}`, text);
    return { id, ...pictureOf(svg) };
  } catch (error) {
    return { id, error: String(error?.message ?? error) };
  }
}

const tell = (answer) => parent.postMessage(answer, location.origin);
addEventListener("message", ({ source, data }) => {
  if (source === parent) void draw(data).then(tell);
});
tell({ ready: typeof mermaid === "object" });
