/**
 * The dialog with the images that are uploaded already: those of the page, of its book, or all that the writer sees, searched by name.
 * Choosing one inserts it at the cursor of the editor that is open (`editor-insert`). Without scripts the link leads to the screen
 * of the images, whose addresses can be copied.
 */
import { filled, find, make, type Texts } from "./screen.ts";

interface Listed {
  readonly name: string;
  readonly url: string;
  readonly thumb: string;
}

const SEARCH_AFTER_MS = 250;

/** The dialog of one editor. */
class ImageManager {
  readonly #form: HTMLFormElement;
  readonly #address: string;
  readonly #texts: Texts;
  readonly #name = make("input", { id: "images-name", type: "search", autocomplete: "off" });
  readonly #scope: HTMLSelectElement;
  readonly #state = make("p", { class: "quiet", role: "status" });
  readonly #list = make("ul", { class: "picture-grid" });
  readonly #more: HTMLButtonElement;
  readonly #dialog: HTMLDialogElement;
  #page = 1;
  #asked = 0;

  constructor(form: HTMLFormElement, address: string, texts: Texts) {
    this.#form = form;
    this.#address = address;
    this.#texts = texts;
    const scopes = ["page", "book", "all"];
    this.#scope = make(
      "select",
      { id: "images-scope", onchange: () => void this.#search() },
      ...scopes.map((value) => make("option", { value }, texts[value])),
    );
    this.#more = make("button", { type: "button", class: "secondary outline", hidden: true }, texts.more);
    this.#more.addEventListener("click", () => void this.#load(this.#page + 1));
    let timer: ReturnType<typeof setTimeout> | undefined;
    this.#name.addEventListener("input", () => {
      clearTimeout(timer);
      timer = setTimeout(() => void this.#search(), SEARCH_AFTER_MS);
    });
    const close = make(
      "button",
      { type: "button", class: "secondary", onclick: () => this.#dialog.close() },
      texts.close,
    );
    this.#dialog = make(
      "dialog",
      { class: "image-manager", "aria-labelledby": "images-title" },
      make("h2", { id: "images-title" }, texts.title),
      make(
        "div",
        { class: "filters" },
        make("div", { class: "field" }, make("label", { for: "images-name" }, texts.name), this.#name),
        make("div", { class: "field" }, make("label", { for: "images-scope" }, texts.scope), this.#scope),
      ),
      this.#state,
      make("div", { class: "image-manager-list" }, this.#list, this.#more),
      make("div", { class: "ends" }, close),
    );
    // Its fields are none of the form's, and the keys of the editor do not reach it.
    for (const name of ["input", "change", "keydown"])
      this.#dialog.addEventListener(name, (event) => event.stopPropagation());
    this.#dialog.addEventListener("close", () => this.#dialog.remove());
  }

  async open(): Promise<void> {
    (find("main") ?? find("body"))?.append(this.#dialog);
    // A page that is not saved yet has no images of its own.
    this.#scope.value = this.#pageId === "" ? "all" : "page";
    this.#dialog.showModal();
    this.#name.focus();
    await this.#search();
    if (this.#list.childElementCount > 0 || this.#scope.value === "all") return;
    this.#scope.value = "book";
    await this.#search();
  }

  get #pageId(): string {
    return Element.prototype.getAttribute.call(this.#form, "data-page") ?? "";
  }

  async #search(): Promise<void> {
    await this.#load(1);
  }

  async #load(page: number): Promise<void> {
    const asked = ++this.#asked;
    const query = new URLSearchParams({ name: this.#name.value, scope: this.#scope.value, page: String(page) });
    if (this.#pageId !== "") query.set("of", this.#pageId);
    const found = await this.#fetch(query);
    if (asked !== this.#asked) return;
    if (!found) {
      this.#state.textContent = this.#texts.failed ?? "";
      return;
    }
    this.#page = page;
    const items = found.data.map((image) => this.#item(image));
    if (page === 1) this.#list.replaceChildren(...items);
    else this.#list.append(...items);
    this.#more.hidden = this.#list.childElementCount >= found.total;
    this.#state.textContent = filled(this.#texts.count, { count: String(found.total) });
    if (page > 1) items[0]?.querySelector("button")?.focus();
  }

  async #fetch(query: URLSearchParams): Promise<{ data: Listed[]; total: number } | undefined> {
    try {
      const response = await fetch(`${this.#address}&${query}`, { headers: { accept: "application/json" } });
      return response.ok ? ((await response.json()) as { data: Listed[]; total: number }) : undefined;
    } catch {
      return undefined;
    }
  }

  #item({ name, url, thumb }: Listed): HTMLLIElement {
    const image = make("img", { src: thumb, alt: "", width: "150", height: "150", loading: "lazy" });
    const choose = make(
      "button",
      { type: "button", onclick: () => this.#choose(url, name) },
      image,
      make("span", {}, name),
    );
    return make("li", {}, choose);
  }

  #choose(url: string, name: string): void {
    this.#dialog.close();
    const alt = name
      .replace(/\.\w+$/, "")
      .replace(/[[\]"<>&]/g, " ")
      .trim();
    const detail = { html: `<p><img src="${url}" alt="${alt}"></p>`, markdown: `![${alt}](${url})`, at: "cursor" };
    EventTarget.prototype.dispatchEvent.call(this.#form, new CustomEvent("editor-insert", { detail }));
  }
}

const form = find<HTMLFormElement>("#editor");
const link = form && find<HTMLAnchorElement>("[data-images]", form);
if (form && link) {
  const texts = JSON.parse(link.dataset.texts ?? "{}") as Texts;
  const manager = new ImageManager(form, link.dataset.images ?? "", texts);
  link.addEventListener("click", (event) => {
    event.preventDefault();
    void manager.open();
  });
  // A button of the menu of insertions.
  find("[data-choose-image]")?.addEventListener("click", () => link.click());
}
