/**
 * Forms that create, edit and delete books, chapters and shelves. The three share one form, as they differ in few fields. Values that
 * the form does not show stay unchanged. A rejected form is shown again with its input and errors.
 */
import {
  bookPath,
  chapterPath,
  type Screen,
  type ScreenItem,
  type SubmitResult,
  shelfPath,
  type Ui,
  type View,
  type Visit,
  type Web,
} from "lectern/contracts";
import { type Html, html, type InputObject } from "lectern/core";
import type { EditingContext } from "./contract.ts";
import { coverFields, coverIn, errorsIn, type NamedTag, nameField, tagFields, tagsIn } from "./fields.ts";
import { type Book, bookOf, type Chapter, chapterOf, deletedNotice, type Shelf, shelfOf } from "./items.ts";
import { isBooksAction, shelfBooks, shelfBooksIn } from "./shelf_books.ts";

interface Named {
  readonly id: number;
  readonly name: string;
}

type Kind = "book" | "chapter" | "shelf";

/** Data of the form. */
export interface ContainerData {
  readonly kind: Kind;
  readonly title: string;
  readonly action: string;
  readonly back: string;
  readonly item: Partial<Book & Chapter & Shelf>;
  readonly tags: readonly NamedTag[];
  readonly sent: SubmitResult<unknown> | undefined;
  /** The rendered books of a shelf, and those that can be added. */
  readonly books: Html | undefined;
  /** Templates that new pages can start from; empty for a shelf. */
  readonly templates: readonly Named[];
}

const SEGMENTS = { book: "books", chapter: "chapters", shelf: "shelves" } as const;

/** Mounts the forms. */
export function mountContainers({ app, web, scripts }: EditingContext): void {
  const view = web.view("editing/container", (data, ui) => drawForm(web, data, ui));
  const form = containerForm(web, view, [scripts.tags, scripts.order]);

  web.screen(app.site, "/create-book", ["book-create-all", "book-create-own"], (visit) =>
    form.blank(visit, "book", "/books"),
  );
  web.form(app.site, "/create-book", ["book-create-all", "book-create-own"], (visit) =>
    form.create(visit, "book", "/books"),
  );
  web.screen(app.site, "/create-shelf", ["bookshelf-create-all", "bookshelf-create-own"], (visit) =>
    form.blank(visit, "shelf", "/shelves"),
  );
  web.form(app.site, "/create-shelf", ["bookshelf-create-all", "bookshelf-create-own"], (visit) =>
    form.create(visit, "shelf", "/shelves"),
  );
  web.screen(app.site, "/shelves/:shelf/create-book", ["book-create-all", "book-create-own"], async (visit) =>
    form.blank(visit, "book", shelfPath(await shelfOf(visit))),
  );
  web.form(app.site, "/shelves/:shelf/create-book", ["book-create-all", "book-create-own"], async (visit) => {
    const shelf = await shelfOf(visit);
    return form.create(visit, "book", shelfPath(shelf), {}, (book) => putOnShelf(visit, shelf.id, book));
  });
  web.screen(app.site, "/books/:book/create-chapter", "user", async (visit) =>
    form.blank(visit, "chapter", bookPath(await bookOf(visit))),
  );
  web.form(app.site, "/books/:book/create-chapter", "user", async (visit) => {
    const book = await bookOf(visit);
    return form.create(visit, "chapter", bookPath(book), { book_id: book.id });
  });

  const places = [
    { kind: "book", path: "/books/:book", find: async (visit: Visit) => ({ item: await bookOf(visit), up: "/books" }) },
    {
      kind: "chapter",
      path: "/books/:book/chapter/:chapter",
      async find(visit: Visit) {
        const { book, chapter } = await chapterOf(visit);
        return { item: chapter, up: bookPath(book) };
      },
    },
    {
      kind: "shelf",
      path: "/shelves/:shelf",
      find: async (visit: Visit) => ({ item: await shelfOf(visit), up: "/shelves" }),
    },
  ] as const;
  for (const { kind, path, find } of places) {
    web.screen(app.site, `${path}/edit`, "user", async (visit) => form.edit(visit, kind, (await find(visit)).item));
    web.form(app.site, `${path}/edit`, "user", async (visit) =>
      form.update(visit, kind, (await itemIn(visit, kind)) ?? (await find(visit)).item),
    );
    web.screen(app.site, `${path}/delete`, "user", async (visit) =>
      deleteQuestion(web, visit, kind, (await find(visit)).item),
    );
    web.form(app.site, `${path}/delete`, "user", async (visit) => {
      const { item, up } = await find(visit);
      const sent = await visit.send("DELETE", `/api/${SEGMENTS[kind]}/${item.id}`);
      return sent.ok
        ? visit.goTo(up, deletedNotice(visit.ui, item.name))
        : visit.goTo(pathTo(kind, item, visit), sent.message);
    });
  }
}

function containerForm(web: Web, view: View<ContainerData>, scripts: readonly string[]) {
  const shown = async (
    visit: Visit,
    data: Omit<ContainerData, "tags" | "books" | "templates">,
    tags: readonly NamedTag[],
  ): Promise<Screen> => {
    const books = data.kind === "shelf" ? await shelfBooks(web, visit, data.item.books ?? []) : undefined;
    const templates = data.kind === "shelf" ? [] : await templatesFor(visit, data.item.default_template_id ?? null);
    return {
      title: data.title,
      body: view({ ...data, tags, books, templates }, visit.ui),
      status: data.sent && !data.sent.ok ? data.sent.status : 200,
      menu: data.kind === "shelf" ? "/shelves" : "/books",
      scripts,
    };
  };
  const texts = (visit: Visit) => ({ name: visit.text("name"), description: visit.text("description") });
  return {
    blank: (visit: Visit, kind: Kind, back: string) =>
      shown(
        visit,
        { kind, title: visit.ui.t(NEW[kind]), action: requestPath(visit), back, item: {}, sent: undefined },
        [],
      ),
    /** `made` does what follows, and returns why that was not possible. */
    async create(
      visit: Visit,
      kind: Kind,
      back: string,
      more: InputObject = {},
      made: (item: Named) => Promise<string | undefined> = async () => undefined,
    ) {
      const input = { ...texts(visit), ...more, ...kindFields(visit, kind), tags: tagsIn(visit.input) };
      const title = visit.ui.t(NEW[kind]);
      const formData = { kind, title, action: requestPath(visit), back, item: texts(visit) };
      if (kind === "shelf" && isBooksAction(visit))
        return shown(visit, { ...formData, sent: undefined }, tagsIn(visit.input));
      const sent = await visit.send("POST", `/api/${SEGMENTS[kind]}`, input);
      if (sent.ok) {
        const notice = visit.ui.t("“:name” is created.", { name: sent.body.name });
        return visit.goTo(pathTo(kind, sent.body, visit), [notice, (await made(sent.body)) ?? ""].join(" ").trim());
      }
      return shown(visit, { ...formData, sent }, tagsIn(visit.input));
    },
    edit: (visit: Visit, kind: Kind, item: Book | Chapter | Shelf) =>
      shown(
        visit,
        {
          kind,
          title: visit.ui.t("Edit “:name”", { name: item.name }),
          action: requestPath(visit),
          back: pathTo(kind, item, visit),
          item,
          sent: undefined,
        },
        item.tags ?? [],
      ),
    async update(visit: Visit, kind: Kind, item: Book | Chapter | Shelf) {
      const { name, description } = texts(visit);
      // A description with formatting is sent only where its text was changed.
      const changed = description === (item.description ?? "") ? {} : { description };
      const input = { name, ...changed, ...kindFields(visit, kind), tags: tagsIn(visit.input) };
      const title = visit.ui.t("Edit “:name”", { name: item.name });
      const back = pathTo(kind, item, visit);
      const formData = { kind, title, action: requestPath(visit), back, item: { ...item, name, description } };
      if (kind === "shelf" && isBooksAction(visit))
        return shown(visit, { ...formData, sent: undefined }, tagsIn(visit.input));
      const sent = await visit.send("PUT", `/api/${SEGMENTS[kind]}/${item.id}`, input);
      if (sent.ok) return visit.goTo(pathTo(kind, sent.body, visit), visit.ui.t("Your changes are saved."));
      return shown(visit, { ...formData, sent }, tagsIn(visit.input));
    },
  };
}

/** Puts a new book at the end of a shelf. Returns the error of the API, where the book is not on the shelf. */
async function putOnShelf(visit: Visit, id: number, book: Named): Promise<string | undefined> {
  const shelf = await visit.item("bookshelf", { id });
  const sent = await visit.send("PUT", `/api/shelves/${id}`, {
    books: [...shelf.books.map((each) => each.id), book.id],
  });
  return sent.ok ? undefined : sent.message;
}

/** The item of a form by its id, as its URL may have changed; undefined where the form has no id. Throws 404. */
async function itemIn(visit: Visit, kind: Kind): Promise<Book | Chapter | Shelf | undefined> {
  const [, id] = new RegExp(`^${kind}/(\\d{1,10})$`).exec(visit.text("about")) ?? [];
  if (id === undefined) return undefined;
  const where = { id: Number(id) };
  if (kind === "shelf") return visit.item("bookshelf", where);
  return kind === "book" ? visit.item("book_outline", where) : visit.item("chapter", where);
}

/** Pages marked as templates, and the current template even where it is not marked any more. */
async function templatesFor(visit: Visit, current: number | null): Promise<readonly Named[]> {
  const { data } = await visit.get("/api/pages?filter[template]=true&sort=name&count=500");
  if (current === null || data.some(({ id }) => id === current)) return data;
  return [...data, { id: current, name: (await visit.findItem("page", { id: current }))?.name ?? `#${current}` }];
}

const NEW = { book: "New book", chapter: "New chapter", shelf: "New shelf" } as const;

/** The fields that only some kinds have. */
function kindFields(visit: Visit, kind: Kind): InputObject {
  if (kind === "shelf") return { ...coverIn(visit), ...shelfBooksIn(visit) };
  const template = visit.text("default_template_id");
  const chosen = template === "" ? {} : { default_template_id: template === "0" ? null : template };
  return kind === "book" ? { ...coverIn(visit), ...chosen } : chosen;
}

function drawForm(
  { parts }: Web,
  { kind, title, action, back, item, tags, sent, books, templates }: ContainerData,
  ui: Ui,
): Html {
  const { errors, error } = errorsIn(sent);
  const hasMarkup = /<(?!\/?p>|br)/.test(item.description_html ?? "");
  // Enter in a field presses the first button of a form, which has to be the one that saves.
  const fields = html`${kind === "shelf" && html`<button class="unseen" tabindex="-1" aria-hidden="true">${ui.t("Save")}</button>`}${item.id !== undefined && html`<input type="hidden" name="about" value="${kind}/${item.id}">`}${nameField(parts, ui, item.name ?? "", errors.name)}
${parts.field(ui, {
  name: "description",
  label: ui.t("Description"),
  type: "textarea",
  value: item.description ?? "",
  errors: errors.description,
  help: hasMarkup ? ui.t("This description contains formatting, which is lost if you edit it here.") : undefined,
})}
${kind !== "chapter" && coverFields(parts, ui, item.cover ?? null, errors.image)}
${books}
${
  templates.length > 0 &&
  parts.field(ui, {
    name: "default_template_id",
    label: ui.t("Default page template"),
    type: "select",
    options: [[0, ui.t("None")], ...templates.map(({ id, name }) => [id, name] as const)],
    value: item.default_template_id ?? 0,
    errors: errors.default_template_id,
    help: ui.t("New pages start as a copy of this template."),
  })
}
${tagFields(tags, ui)}`;
  return html`<h1>${title}</h1>${parts.form(ui, { action, fields, submit: ui.t("Save"), cancel: back, error, files: kind !== "chapter" })}`;
}

function deleteQuestion({ parts }: Web, visit: Visit, kind: Kind, item: ScreenItem): Screen {
  const { ui } = visit;
  const title = ui.t("Delete “:name”?", { name: item.name });
  const detail = ui.serves("/api/recycle-bin")
    ? kind === "shelf"
      ? ui.t("The shelf is moved to the recycle bin. Its books are kept.")
      : ui.t("It is moved to the recycle bin, with everything in it.")
    : kind === "shelf"
      ? ui.t("The shelf is deleted. Its books are kept.")
      : ui.t("It is deleted, with everything in it.");
  const back = pathTo(kind, item, visit);
  const body = parts.confirm(ui, { question: title, detail, action: requestPath(visit), submit: ui.t("Delete"), back });
  return { title, body, menu: kind === "shelf" ? "/shelves" : "/books" };
}

/** The path of the requested screen. */
function requestPath(visit: Visit): string {
  return new URL(visit.request.url).pathname;
}

function pathTo(kind: Kind, item: { slug: string }, visit: Visit): string {
  if (kind === "book") return bookPath(item);
  return kind === "shelf" ? shelfPath(item) : chapterPath({ slug: visit.params.book ?? "" }, item);
}
