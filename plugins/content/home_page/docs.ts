/** What the documentation says about the endpoints of home screens. */
export const about = {
  favourites: "Lists your favourites, the newest first. Items that you do not see are left out.",
  favourite: "Whether a page, chapter, book or bookshelf is one of your favourites.",
  add: "Marks a page, chapter, book or bookshelf as one of your favourites, of which you have a thousand at most. Nobody else sees them.",
  remove: "Takes the mark of a favourite away, also where there is none.",
  recent:
    "Lists the items that you have opened, the last one first, over the API or on screens. Looks at the last 200; total counts those of them that you see.",
  most: "Lists the items that all users together have opened most, of those that you see. Counted every ten minutes, of the 500 that are opened most.",
  drafts:
    "Lists your drafts, the newest first. item is the page that a draft changes (kind page), or the book or chapter that a new " +
    "page is for; page_id is the draft page of a new page, null where there is none yet.",
  activity:
    "Lists what was done last to items that you see: created, changed, moved, restored. Of what a user did to an item several times " +
    "the last one is listed. Looks at the last 500 such entries of the log; addresses and details are those of the audit log alone.",
  home:
    "What the home page shows you: overview, books, bookshelves, or the page or bookshelf in item. own is your choice, " +
    "instance that for all who have not chosen; null for none. An item that you do not see is not shown.",
  choose:
    "Chooses what your home page shows: the page of page_id, else the bookshelf of bookshelf_id, else what shows names. Without " +
    "any of them the choice of the instance counts again.",
  chooseForAll:
    "Chooses what the home page shows to visitors, and to users who have not chosen, as the choice of your own home page does. " +
    "Who does not see the item gets the overview.",
} as const;
