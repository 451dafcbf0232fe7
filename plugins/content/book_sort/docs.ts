/** What the documentation says about the endpoint. */
export const about =
  "Sorts the chapters and pages of a book, all at once or not at all. An addition to BookStack's API.\n" +
  "items lists chapters and pages directly in the book in their new order: type (chapter or page) and id. A chapter can " +
  "list pages: the ids of its pages, in order; pages can come from the book or from its other chapters.\n" +
  "Items that are not listed stay after the item that they follow now. Items that you may not update keep their order " +
  "relative to each other. Moving a page between chapters needs the same permissions as moving it by an update.\n" +
  "books are further books, each with its id and its items: chapters and pages are then moved between all of them, pages into the chapters of " +
  "others too, with the permissions of moving them by an update and of sorting each book.\n" +
  "seen, of the book and of each further one, lists the entries as you saw them, all or a part. An entry that others have moved or deleted since is " +
  "answered 409, and nothing is changed, if you move it too; else it stays where it is now. Entries behind those of a part stay behind them.";

/** A sample for the documentation. */
export const example = {
  request: {
    items: [
      { type: "chapter", id: 3, pages: [12, 14] },
      { type: "page", id: 9 },
    ],
  },
};

/** What the documentation says about the move of one entry. */
export const aboutMove =
  "Moves one chapter or page of a book beside another one, or to the end of a chapter. An addition to BookStack's API.\n" +
  "type and id name what is moved, target_type and target_id the other one; place is before or after it, or inside a chapter. " +
  "The target may be moved by others at the same time: the entry is beside it wherever it is then, unless within says where it is expected, " +
  "as the id of a chapter or null for the book itself, which is answered 409 otherwise. The permissions are those of sorting the book.";

/** A sample for the documentation. */
export const moveExample = {
  request: { type: "page", id: 12, place: "after", target_type: "page", target_id: 9, within: 3 },
};

/** What the documentation says about the rule of a book. */
export const aboutRead =
  "Shows the rule by which a book is kept sorted, null where it has none. An addition to BookStack's API.";

/** What the documentation says about the change of that rule. */
export const aboutRule =
  "Sorts a whole book by a rule: by name, or by when entries were created or changed; a minus is for descending. Pages are sorted within their " +
  "chapter. An addition to BookStack's API.\n" +
  "With keep, which is true by default, the book stays sorted: chapters and pages that are created, renamed, moved or restored later take their " +
  "places soon after, and other requests that sort the book change the chapters of pages alone. Without it the book is sorted once. The rule " +
  "none ends this, and leaves the order as it is. The permissions are those of sorting the book.";

/** A sample for the documentation. */
export const readExample = { response: { rule: "name" } };

/** A sample for the documentation. */
export const ruleExample = { request: { rule: "-created", keep: true }, response: { rule: "-created" } };
