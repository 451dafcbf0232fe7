import type { ApiClient } from "lectern/cli";
import { make, newestId, numberOf, PATHS, rowsOf } from "./make.ts";
import type { LoadState } from "./state.ts";

/** Puts books on the shelf of a name, behind those that stand there; makes it where it is missing. Throws AnswerError. */
export async function putOnShelf(
  client: ApiClient,
  state: LoadState,
  name: string,
  bookIds: readonly number[],
): Promise<void> {
  const query = new URLSearchParams({ count: "500", sort: "id", "filter[name]": name });
  const shelf = rowsOf(await client.get(`${PATHS.shelf}?${query}`)).find((row) => row.name === name);
  const path = `shelf:${name}`;
  if (shelf === undefined) {
    // A shelf noted before is gone: what is pending from then must not be looked for above an old id.
    await state.set(path, { kind: "shelf" });
    await make(
      client,
      state,
      { kind: "shelf", path, name, parent: {}, body: { name, books: bookIds } },
      await newestId(client, "shelf"),
    );
    return;
  }
  const id = numberOf(shelf.id);
  const { books } = await client.get(`${PATHS.shelf}/${id}`);
  const present = Array.isArray(books) ? books.map((book: { id?: unknown }) => numberOf(book.id)) : [];
  const missing = bookIds.filter((bookId) => !present.includes(bookId));
  if (missing.length > 0) await client.put(`${PATHS.shelf}/${id}`, { books: [...present, ...missing] });
}
