/** What the documentation says about the endpoint. */
export const about =
  "Puts the chapters and pages of a book into an order, all at once or not at all. Of ours.\n" +
  "items lists chapters and pages directly in the book as they shall stand: type (chapter or page) and id. A chapter may " +
  "list pages: the ids of the pages that shall be in it, in order; pages may come from the book or from its other chapters.\n" +
  "What is not named stays after what it follows now. What you may not update keeps its order among its like; moving a " +
  "page between chapters takes what moving it by its update takes.";

/** A sample for the documentation. */
export const example = {
  request: {
    items: [
      { type: "chapter", id: 3, pages: [12, 14] },
      { type: "page", id: 9 },
    ],
  },
};
