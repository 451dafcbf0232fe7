// The screen of a copy in the background: reads itself again while the copy is made, and opens the copy once it is there.

// A block scope, as scripts of a document share their global names.
(() => {
  const EVERY_MS = 1500;

  async function look() {
    // A redirect leads to the copy; a new load follows it and shows its notice.
    const answer = await fetch(location.href, { redirect: "manual" }).catch(() => undefined);
    if (answer?.type === "opaqueredirect") return location.reload();
    if (answer?.ok) {
      const next = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("[data-copy]");
      if (!next) return location.reload();
      const shown = document.querySelector("[data-copy]");
      const [text, bar] = [shown.querySelector("[role=status]"), shown.querySelector("progress")];
      text.textContent = next.querySelector("[role=status]").textContent;
      bar.value = next.querySelector("progress").value;
      bar.max = next.querySelector("progress").max;
    }
    setTimeout(look, EVERY_MS);
  }

  setTimeout(look, EVERY_MS);
})();
