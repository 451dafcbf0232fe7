import { type Html, html, type InputObject, isUpload, type Visit } from "lectern/core";

/** Books offered beside those on the shelf; a filter finds the others. */
const OFFERED = 100;

interface Named {
  readonly id: number;
  readonly name: string;
}

/**
 * The books a shelf may hold, each with its place: those on it first, in their order, then others by name. A place is a
 * number, so that the order can be changed without scripts.
 */
export async function shelfBooks(visit: Visit, held: readonly Named[]): Promise<Html> {
  const { ui } = visit;
  const { data } = await visit.get<{ data: Named[] }>(`/api/books?count=${OFFERED}&sort=name`);
  const others = data.filter(({ id }) => !held.some((book) => book.id === id));
  const row = ({ id, name }: Named, place: number | "") =>
    html`<li><input type="number" min="0" max="9999" name="places[${id}]" value="${place}" aria-label="${ui.t("Place of “:name”", { name })}"> <span>${name}</span></li>`;
  return html`<fieldset class="shelf-books"><legend>${ui.icon("book")} ${ui.t("Books")}</legend>
<p class="quiet">${ui.t("A number puts a book on the shelf, in the order of the numbers; an empty field leaves it out.")}</p>
<ul>${held.map((book, index) => row(book, index + 1))}${others.map((book) => row(book, ""))}</ul></fieldset>`;
}

/** The books of a form in the order of their places; nothing where the form has no such field. */
export function shelfBooksIn({ input }: Visit): InputObject {
  const { places } = input;
  if (typeof places !== "object" || places === null || isUpload(places)) return {};
  const books = Object.entries(places)
    .map(([id, place]) => ({
      id: Number(id),
      place: typeof place === "string" && place !== "" ? Number(place) : Number.NaN,
    }))
    .filter(({ id, place }) => Number.isInteger(id) && Number.isFinite(place))
    .sort((a, b) => a.place - b.place)
    .map(({ id }) => id);
  return { books: books as never };
}
