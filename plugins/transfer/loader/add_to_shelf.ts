import type { ApiClient } from "lectern/cli";
import { createOnce, newestId, numberOf, PATHS, rowsOf } from "./create_once.ts";
import type { LoadState } from "./state.ts";

/** Appends books to the shelf of a name, creating it where it does not exist. Throws AnswerError. */
export async function addToShelf(
  client: ApiClient,
  state: LoadState,
  name: string,
  bookIds: readonly number[],
): Promise<void> {
  const query = new URLSearchParams({ count: "500", sort: "id", "filter[name]": name });
  const shelf = rowsOf(await client.get(`${PATHS.shelf}?${query}`)).find((row) => row.name === name);
  const path = `shelf:${name}`;
  if (shelf === undefined) {
    // The shelf of an earlier run is gone: its state would restrict the search to ids above an old one.
    await state.set(path, { kind: "shelf" });
    await createOnce(
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
