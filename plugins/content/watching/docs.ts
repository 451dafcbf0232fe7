/** What the documentation says about the endpoints of watching. */
export const about = {
  watches:
    "Lists the pages, chapters, books and bookshelves that you watch or ignore, the last choice first. Items that you do not see are left out.",
  watch:
    "How you watch a page, chapter, book or bookshelf. level is your choice for it: comments tells of comments, changes and new pages, " +
    "updates of changes and new pages, new of new pages, ignore of nothing; default leaves it to the nearest item that it is in and that " +
    "you have chosen a level for, which is inherited. Its item is null where you do not see it.",
  set: "Chooses how you watch an item; default takes the choice back.",
  remove: "Takes your choice for an item back, also where there is none.",
  preferences:
    "What you are told beside what you watch. Who ignores a page is told of its changes and comments by a mention alone.",
  setPreferences: "Changes what you are told beside what you watch; what is left out stays as it is.",
  notifications:
    "Lists your notifications, the last change first, with unread=1 those alone that you have not read. Those of items that you do not see " +
    "(any more) are left out. They are kept for 90 days. Changes of a page by one author with pauses below ten minutes are one notification, " +
    "for an hour at most, which names the revision_count before the first and after the last of them.",
  unread: "How many of your notifications you have not read, up to 100.",
  mark:
    "Marks notifications as read, or as unread again: those of ids, of which others than your own are left alone, else all whose ids are not " +
    "higher than up_to, else all.",
  unsubscribe: "Ends the mails of a user, by the id and the secret of the link in a mail, without signing in.",
  candidates:
    "Users who can be mentioned in a page, or in a comment on it, by @ and their slug: at most ten whose name or slug begins with query, and who " +
    "see the item.",
} as const;
