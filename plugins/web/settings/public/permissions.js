// The permissions of an item: the boxes of a role have an effect only where their rules are chosen, so they are disabled elsewhere.
// Without this script the style sheet hides them there.
(() => {
  const update = (select) => {
    for (const box of select.closest("tr").querySelectorAll("input[type=checkbox]")) box.disabled = select.value === "";
  };
  const updateAll = () => document.querySelectorAll("[data-rules]").forEach(update);

  document.addEventListener("change", ({ target }) => {
    if (target instanceof HTMLSelectElement && target.matches("[data-rules]")) update(target);
  });
  // Browsers restore what was chosen before a reload or a step back after the scripts have run.
  addEventListener("pageshow", updateAll);
  updateAll();
})();
