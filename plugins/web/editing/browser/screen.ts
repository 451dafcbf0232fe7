/**
 * Elements of the screen around the editor, made and found without names that content of the page could shadow: elements with the names of
 * members of documents and forms replace them (`<img name=body>`).
 */

/** The texts of the screen in the writer's language, by key; the server sends them. */
export type Texts = Readonly<Record<string, string>>;

type Part = Node | string | false | undefined;

/** Makes an element. `on…` of the attributes are handlers, and others are set unless they are undefined. */
export function make<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Readonly<Record<string, string | boolean | undefined | ((event: Event) => void)>> = {},
  ...parts: readonly Part[]
): HTMLElementTagNameMap[Tag] {
  const made = Document.prototype.createElement.call(document, tag) as HTMLElementTagNameMap[Tag];
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(name.slice(2), value);
    else if (value !== undefined && value !== false) made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...parts.filter((part): part is Node | string => part !== undefined && part !== false));
  return made;
}

/** The first element of the screen that a selector finds. */
export function find<Found extends Element = HTMLElement>(selector: string, within?: Element): Found | null {
  return within
    ? (Element.prototype.querySelector.call(within, selector) as Found | null)
    : (Document.prototype.querySelector.call(document, selector) as Found | null);
}

/** A text with `:name` replaced. */
export function filled(text: string | undefined, values: Readonly<Record<string, string>>): string {
  return Object.entries(values).reduce((all, [name, value]) => all.replace(`:${name}`, value), text ?? "");
}

/** Asks in a dialog; resolves with the value of the button that was chosen, "" where it was closed by Escape. */
export function ask(
  title: string,
  body: readonly Part[],
  buttons: readonly { readonly text: string; readonly value: string; readonly isMain?: boolean }[],
): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  const shown = make(
    "dialog",
    { class: "rich-dialog", "aria-labelledby": "rich-dialog-title" },
    make("h2", { id: "rich-dialog-title" }, title),
    ...body,
    make(
      "div",
      { class: "ends" },
      ...buttons.map(({ text, value, isMain }) =>
        make(
          "button",
          {
            type: "button",
            class: isMain ? undefined : "secondary",
            "data-main": isMain,
            onclick: () => shown.close(value),
          },
          text,
        ),
      ),
    ),
  );
  shown.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.target instanceof HTMLInputElement)) return;
    event.preventDefault();
    find<HTMLButtonElement>("[data-main]", shown)?.click();
  });
  shown.addEventListener("close", () => {
    shown.remove();
    resolve(shown.returnValue);
  });
  (find("main") ?? find("body"))?.append(shown);
  shown.showModal();
  return promise;
}
