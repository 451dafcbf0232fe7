/**
 * Forms of books, chapters and shelves: making, changing and deleting them. The three share one form, since they differ in
 * two fields; what a form does not show stays as it is. A refused form is shown again with what was typed and what is wrong.
 */
import {
  bookPath,
  chapterPath,
  type Screen,
  type SubmitResult,
  shelfPath,
  type Ui,
  type View,
  type Visit,
  type Web,
} from "lectern/contracts";
import { type Html, html, type InputObject, type PluginContext } from "lectern/core";
import { coverFields, coverIn, errorsIn, type NamedTag, nameField, tagFields, tagsIn } from "./fields.ts";
import { type Book, bookOf, type Chapter, chapterOf, type Item, type Shelf, shelfOf } from "./items.ts";
import { asksForBooks, shelfBooks, shelfBooksIn } from "./shelf_books.ts";

interface Named {
  readonly id: number;
  readonly name: string;
}

type Kind = "book" | "chapter" | "shelf";

/** What the form of a container shows. */
export interface ContainerData {
  readonly kind: Kind;
  readonly title: string;
  readonly action: string;
  readonly back: string;
  readonly item: Partial<Book & Chapter & Shelf>;
  readonly tags: readonly NamedTag[];
  readonly sent: SubmitResult<unknown> | undefined;
  /** The books a shelf may hold, drawn already. */
  readonly books: Html | undefined;
  /** Pages that new pages may begin as; none for a shelf. */
  readonly templates: readonly Named[];
}

const SEGMENTS = { book: "books", chapter: "chapters", shelf: "shelves" } as const;

/** Mounts the forms. */
export function mountContainers({ site }: Pick<PluginContext, "site">, web: Web, scripts: readonly string[]): void {
  const view = web.view<ContainerData>("editing/container", (data, ui) => drawn(web, data, ui));
  const form = containerForm(web, view, scripts);

  web.screen(site, "/create-book", ["book-create-all", "book-create-own"], (visit) =>
    form.fresh(visit, "book", "/books"),
  );
  web.form(site, "/create-book", ["book-create-all", "book-create-own"], (visit) =>
    form.create(visit, "book", "/books"),
  );
  web.screen(site, "/create-shelf", ["bookshelf-create-all", "bookshelf-create-own"], (visit) =>
    form.fresh(visit, "shelf", "/shelves"),
  );
  web.form(site, "/create-shelf", ["bookshelf-create-all", "bookshelf-create-own"], (visit) =>
    form.create(visit, "shelf", "/shelves"),
  );
  web.screen(site, "/books/:book/create-chapter", "user", async (visit) =>
    form.fresh(visit, "chapter", bookPath(await bookOf(visit))),
  );
  web.form(site, "/books/:book/create-chapter", "user", async (visit) => {
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
    web.screen(site, `${path}/edit`, "user", async (visit) => form.present(visit, kind, (await find(visit)).item));
    web.form(site, `${path}/edit`, "user", async (visit) =>
      form.change(visit, kind, (await named(visit, kind)) ?? (await find(visit)).item),
    );
    web.screen(site, `${path}/delete`, "user", async (visit) => question(web, visit, kind, (await find(visit)).item));
    web.form(site, `${path}/delete`, "user", async (visit) => {
      const { item, up } = await find(visit);
      const sent = await visit.send("DELETE", `/api/${SEGMENTS[kind]}/${item.id}`);
      return sent.ok
        ? visit.goTo(up, visit.ui.t("“:name” is in the recycle bin.", { name: item.name }))
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
  const about = (visit: Visit) => ({ name: visit.text("name"), description: visit.text("description") });
  return {
    fresh: (visit: Visit, kind: Kind, back: string) =>
      shown(visit, { kind, title: visit.ui.t(NEW[kind]), action: here(visit), back, item: {}, sent: undefined }, []),
    async create(visit: Visit, kind: Kind, back: string, more: InputObject = {}) {
      const input = { ...about(visit), ...more, ...furtherIn(visit, kind), tags: tagsIn(visit.input) as never };
      const title = visit.ui.t(NEW[kind]);
      const again = { kind, title, action: here(visit), back, item: about(visit) };
      if (kind === "shelf" && asksForBooks(visit))
        return shown(visit, { ...again, sent: undefined }, tagsIn(visit.input));
      const sent = await visit.send<Item>("POST", `/api/${SEGMENTS[kind]}`, input);
      if (sent.ok)
        return visit.goTo(pathTo(kind, sent.body, visit), visit.ui.t("“:name” is created.", { name: sent.body.name }));
      return shown(visit, { ...again, sent }, tagsIn(visit.input));
    },
    present: (visit: Visit, kind: Kind, item: Book | Chapter | Shelf) =>
      shown(
        visit,
        {
          kind,
          title: visit.ui.t("Edit “:name”", { name: item.name }),
          action: here(visit),
          back: pathTo(kind, item, visit),
          item,
          sent: undefined,
        },
        item.tags ?? [],
      ),
    async change(visit: Visit, kind: Kind, item: Book | Chapter | Shelf) {
      const { name, description } = about(visit);
      // A description with markup stays as it is unless its words were changed.
      const words = description === (item.description ?? "") ? {} : { description };
      const input = { name, ...words, ...furtherIn(visit, kind), tags: tagsIn(visit.input) as never };
      const title = visit.ui.t("Edit “:name”", { name: item.name });
      const back = pathTo(kind, item, visit);
      const again = { kind, title, action: here(visit), back, item: { ...item, name, description } };
      if (kind === "shelf" && asksForBooks(visit))
        return shown(visit, { ...again, sent: undefined }, tagsIn(visit.input));
      const sent = await visit.send<Item>("PUT", `/api/${SEGMENTS[kind]}/${item.id}`, input);
      if (sent.ok) return visit.goTo(pathTo(kind, sent.body, visit), visit.ui.t("Your changes are saved."));
      return shown(visit, { ...again, sent }, tagsIn(visit.input));
    },
  };
}

/** The item a form is about, by its number, as its address may have changed since; undefined where it has none. Throws 404. */
async function named(visit: Visit, kind: Kind): Promise<Book | Chapter | Shelf | undefined> {
  const [, id] = new RegExp(`^${kind}/(\\d{1,10})$`).exec(visit.text("about")) ?? [];
  return id === undefined ? undefined : visit.get(`/api/${SEGMENTS[kind]}/${id}`);
}

/** Pages marked as templates, and the one in use whatever it is marked as. */
async function templatesFor(visit: Visit, present: number | null): Promise<Named[]> {
  const { data } = await visit.get<{ data: Named[] }>("/api/pages?filter[template]=true&sort=name&count=500");
  if (present === null || data.some(({ id }) => id === present)) return data;
  return [...data, { id: present, name: (await visit.find<Named>(`/api/pages/${present}`))?.name ?? `#${present}` }];
}

const NEW = { book: "New book", chapter: "New chapter", shelf: "New shelf" } as const;

/** Fields that not every container has. */
function furtherIn(visit: Visit, kind: Kind): InputObject {
  if (kind === "shelf") return { ...coverIn(visit), ...shelfBooksIn(visit) };
  const template = visit.text("default_template_id");
  const chosen = template === "" ? {} : { default_template_id: template === "0" ? null : template };
  return kind === "book" ? { ...coverIn(visit), ...chosen } : chosen;
}

function drawn(
  { parts }: Web,
  { kind, title, action, back, item, tags, sent, books, templates }: ContainerData,
  ui: Ui,
): Html {
  const { errors, error } = errorsIn(sent);
  const hasMarkup = /<(?!\/?p>|br)/.test(item.description_html ?? "");
  // Return in a field presses the first button of a form, which must be the one that saves.
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

function question({ parts }: Web, visit: Visit, kind: Kind, item: Item): Screen {
  const { ui } = visit;
  const title = ui.t("Delete “:name”?", { name: item.name });
  const detail =
    kind === "shelf"
      ? ui.t("The shelf is moved to the recycle bin. Its books are kept.")
      : ui.t("It is moved to the recycle bin, with everything in it.");
  const back = pathTo(kind, item, visit);
  const body = parts.confirm(ui, { question: title, detail, action: here(visit), submit: ui.t("Delete"), back });
  return { title, body, menu: kind === "shelf" ? "/shelves" : "/books" };
}

/** The path of the screen that is asked for, below the root of the instance. */
function here(visit: Visit): string {
  return new URL(visit.request.url).pathname;
}

function pathTo(kind: Kind, item: { slug: string }, visit: Visit): string {
  if (kind === "book") return bookPath(item);
  return kind === "shelf" ? shelfPath(item) : chapterPath({ slug: visit.params.book ?? "" }, item);
}
