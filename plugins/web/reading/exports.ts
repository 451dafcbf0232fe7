import type { Visit } from "lectern/contracts";
import { ApiError } from "lectern/core";
import type { ReadingContext } from "./contract.ts";

/** Mounts the exports: the unchanged answers of the API, whose headers have the name of the file. */
export function mountExports({ app, web }: ReadingContext): void {
  const exported = async (visit: Visit, segment: string, id: number): Promise<Response> => {
    const format = encodeURIComponent(visit.params.format ?? "");
    const response = await visit.call("GET", `/api/${segment}/${id}/export/${format}`);
    if (response.ok) return response;
    const { error } = (await response.json()) as { error?: { message?: string } };
    throw new ApiError(response.status, error?.message ?? "");
  };
  const bookOf = (visit: Visit) => visit.item("book_outline", { slug: visit.params.book ?? "" });
  const ofBook = async (visit: Visit) => exported(visit, "books", (await bookOf(visit)).id);
  web.screen(app.site, "/books/:book/export/:format", "reader", ofBook, "long");
  for (const kind of ["page", "chapter"] as const) {
    const ofItem = async (visit: Visit) => {
      const book = await bookOf(visit);
      const { id } = await visit.item(kind, { slug: visit.params[kind] ?? "", within: book.id });
      return exported(visit, `${kind}s`, id);
    };
    web.screen(app.site, `/books/:book/${kind}/:${kind}/export/:format`, "reader", ofItem, "long");
  }
}
