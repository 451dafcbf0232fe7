import type { TestRuntime } from "./test_runtime.ts";

/** An item as the API answers it. */
export interface Shown {
  readonly id: number;
  readonly name: string;
  readonly slug: string;
  readonly pages?: readonly Shown[];
}

/** Books whose order tests change. */
export interface SortedBooks {
  /** Makes an item by the API; a page has some text. */
  make(segment: string, body: object): Promise<Shown>;
  /** A book with two chapters of two pages, and two pages of its own. */
  filled(name: string): Promise<Shown>;
  /** The order of a book: "One[One first, One second], Alone". */
  orderOf(book: Pick<Shown, "id">): Promise<string>;
}

/** Makes and reads books through the API of a runtime. */
export function sortedBooks(runtime: Pick<TestRuntime, "ask">): SortedBooks {
  const make = async (segment: string, body: object): Promise<Shown> => {
    const sent = segment === "pages" ? { html: "<p>x</p>", ...body } : body;
    return (await runtime.ask("POST", `/api/${segment}`, { body: sent })).body;
  };
  return {
    make,
    async filled(name) {
      const book = await make("books", { name });
      for (const chapter of ["One", "Two"]) {
        const { id } = await make("chapters", { name: chapter, book_id: book.id });
        for (const page of ["first", "second"]) await make("pages", { name: `${chapter} ${page}`, chapter_id: id });
      }
      for (const page of ["Alone", "Last"]) await make("pages", { name: page, book_id: book.id });
      return book;
    },
    async orderOf({ id }) {
      const outline = ({ name, pages }: Shown): string => (pages ? `${name}[${pages.map(outline).join(", ")}]` : name);
      return (await runtime.ask("GET", `/api/books/${id}`)).body.contents.map(outline).join(", ");
    },
  };
}
