/** Makes one of a toolbar's controls the stop of the Tab key; arrow keys, Home and End move to the others. */
export function roving(bar: HTMLElement): void {
  const controls = [...bar.querySelectorAll<HTMLElement>("select, button")];
  const enter = (control: HTMLElement | undefined) => {
    for (const each of controls) each.tabIndex = each === control ? 0 : -1;
  };
  enter(controls[0]);
  bar.addEventListener("focusin", ({ target }) => enter(controls.find((each) => each === target)));
  bar.addEventListener("keydown", (event) => {
    const at = controls.indexOf(event.target as HTMLElement);
    const isSelect = event.target instanceof HTMLSelectElement;
    const onwards = getComputedStyle(bar).direction === "rtl" ? -1 : 1;
    const step = { ArrowRight: onwards, ArrowLeft: -onwards }[event.key];
    const next =
      step === undefined
        ? { Home: 0, End: controls.length - 1 }[event.key]
        : (at + step + controls.length) % controls.length;
    if (next === undefined || (isSelect && step === undefined)) return;
    event.preventDefault();
    controls[next]?.focus();
  });
}
