import type { Toolbar, Web } from "lectern/contracts";
import type { Html, PluginContext } from "lectern/core";
import type { Book, Chapter, Entry, Page, Shelf } from "./api_types.ts";
import type { CommentFormData } from "./comment_forms.ts";
import type { CommentAssets } from "./comments.ts";
import type { Tile, TilesData } from "./containers.ts";
import type { HomeData } from "./home.ts";
import type { HomeChoiceData } from "./home_choice.ts";
import type { HomeList } from "./home_lists.ts";
import type { HomeStartData } from "./home_start.ts";
import type { PageData } from "./page.ts";
import type { PersonData } from "./people.ts";
import type { RevisionComparisonData, RevisionData, RevisionsData } from "./revisions.ts";
import type { SearchData } from "./search.ts";
import type { SuggestionsData } from "./suggestions.ts";
import type { TagsData } from "./tags.ts";

/** What the files of this plugin share. */
export interface ReadingContext extends Pick<PluginContext, "baseUrl" | "app" | "runtime" | "slot"> {
  readonly web: Web;
  /** The address of the script that unfolds trees. */
  readonly treeScript: string;
  /** The address of the script of pages. */
  readonly pageScript: string;
  readonly commentAssets: CommentAssets;
}

/** What other plugins add to the screen of an item. */
export interface Additions {
  readonly toolbar: Toolbar;
  /** Parts below the content. */
  readonly added: Html;
}

/** Contents that are shown in parts. */
export interface InParts {
  readonly part: { readonly entries: readonly Entry[]; readonly page: number; readonly total: number };
}

declare module "lectern/core" {
  interface Places {
    "book/below": Book;
    "book/toolbar": Book;
    "chapter/below": Chapter;
    "chapter/toolbar": Chapter;
    "home/below": undefined;
    "page/aside": Page;
    "page/below": Page;
    "page/toolbar": Page;
    "shelf/below": Shelf;
    "shelf/toolbar": Shelf;
  }
  interface Views {
    "reading/book": { readonly book: Book } & InParts & Additions;
    "reading/books": TilesData;
    "reading/chapter": { readonly book: Book; readonly chapter: Chapter } & InParts & Additions;
    "reading/comment_form": CommentFormData;
    "reading/comments": { readonly book: Book; readonly page: Page };
    "reading/home": HomeData;
    "reading/home_choice": HomeChoiceData;
    "reading/home_list": { readonly list: HomeList; readonly pager: Html };
    "reading/home_start": HomeStartData;
    "reading/page": PageData;
    "reading/person": PersonData;
    "reading/revision": RevisionData;
    "reading/revision_comparison": RevisionComparisonData;
    "reading/revisions": RevisionsData;
    "reading/search": SearchData;
    "reading/shelf": { readonly shelf: Shelf; readonly books: readonly Tile[] } & Additions;
    "reading/shelves": TilesData;
    "reading/tags": TagsData;
    "reading/suggestions": SuggestionsData;
  }
}
