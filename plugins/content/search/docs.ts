/** Text of the endpoint in the API documentation. */
export const about =
  "Searches shelves, books, chapters and pages visible to you, the best results first.\n" +
  'Words match the beginnings of words; "exact text", [tag=value] and {filter:value} ' +
  "narrow the search, and a minus before one of these negates it. Case and accents make no difference.\n" +
  "A word with signs, such as R&D, C++, e-mail or node.js, is found where it stands so, and not where only its parts do. Words that " +
  "contain one of , ! ? : ; ( ) [ ] { } < > ' \" or a backtick are exact texts. Dots, dashes and asterisks at the end of a word " +
  "are ignored.\n" +
  "Items whose name is the query come first, books and chapters before pages.\n" +
  "An exact text is found where it begins with a word; if there is no such match, it is searched within words as well, unless " +
  "there are very many items.\n" +
  "If more items match than are ranked, `total` is a lower bound, and `total_is_lower_bound` is present and true; " +
  "rare words among common ones then count most.\n" +
  "With mode=better, which the screens use, other forms of a word are found too, as are words that a misspelt one was meant to be " +
  "(`corrected` says which, where no item has the word); results are ranked by how rare their words are, where they stand and how near " +
  "each other, and have `passages` around the hits. sort=relevance|updated|created|name orders them, facets=true adds `facets`, the " +
  "filters {in_book:id} and {in_shelf:id} narrow them, words such as read(file) are split, and brackets that are no tag are words. " +
  "An item with a tag language=de is stemmed in that language, others in the language of the instance.\n" +
  "The first 200,000 characters of an item's text and of its tags are searched. A run of letters and digits longer " +
  "than 100 characters counts as several words.";

const page = { id: 12, name: "Failover", slug: "failover", book_id: 7, chapter_id: 3, draft: false, template: false };
const dates = { created_at: "2026-01-05T09:32:00.000000Z", updated_at: "2026-01-05T09:32:00.000000Z" };

/** Example in the API documentation. */
export const example = {
  response: {
    data: [
      {
        ...page,
        priority: 1,
        ...dates,
        url: "https://docs.example.com/books/runbooks/page/failover",
        type: "page",
        tags: [],
        book: { id: 7, name: "Runbooks", slug: "runbooks" },
        chapter: { id: 3, name: "Database", slug: "database" },
        preview_html: { name: "<strong>Failover</strong>", content: "Call the DBA" },
      },
    ],
    total: 1,
  },
};
