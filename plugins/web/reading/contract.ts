import type { Web } from "lectern/contracts";
import type { Html, PluginContext } from "lectern/core";
import type { Book, Chapter, Page, Shelf } from "./api_types.ts";
import type { CommentFormData } from "./comment_forms.ts";
import type { Tile, TilesData } from "./containers.ts";
import type { HomeData } from "./home.ts";
import type { PageData } from "./page.ts";
import type { PersonData } from "./people.ts";
import type { RevisionData, RevisionsData } from "./revisions.ts";
import type { SearchData } from "./search.ts";

/** What the files of this plugin share. */
export interface ReadingContext extends Pick<PluginContext, "baseUrl" | "site"> {
  readonly web: Web;
}

declare module "lectern/core" {
  interface Places {
    "book/below": Book;
    "home/below": undefined;
    "page/aside": Page;
    "page/below": Page;
  }
  interface Views {
    "reading/book": { readonly book: Book; readonly added: Html };
    "reading/books": TilesData;
    "reading/chapter": { readonly book: Book; readonly chapter: Chapter };
    "reading/comment_form": CommentFormData;
    "reading/comments": { readonly book: Book; readonly page: Page };
    "reading/home": HomeData;
    "reading/page": PageData;
    "reading/person": PersonData;
    "reading/revision": RevisionData;
    "reading/revisions": RevisionsData;
    "reading/search": SearchData;
    "reading/shelf": { readonly shelf: Shelf; readonly books: readonly Tile[] };
    "reading/shelves": TilesData;
  }
}
