/** What the documentation says about the endpoint. */
export const about =
  "Sorts the chapters and pages of a book, all at once or not at all. An addition to BookStack's API.\n" +
  "items lists chapters and pages directly in the book in their new order: type (chapter or page) and id. A chapter can " +
  "list pages: the ids of its pages, in order; pages can come from the book or from its other chapters.\n" +
  "Items that are not listed stay after the item that they follow now. Items that you may not update keep their order " +
  "relative to each other. Moving a page between chapters needs the same permissions as moving it by an update.";

/** A sample for the documentation. */
export const example = {
  request: {
    items: [
      { type: "chapter", id: 3, pages: [12, 14] },
      { type: "page", id: 9 },
    ],
  },
};
