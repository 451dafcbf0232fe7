import type { Markup, Web } from "lectern/contracts";
import type { PluginContext } from "lectern/core";
import type { AttachmentsData } from "./attachments.ts";
import type { ConflictData } from "./conflict_view.ts";
import type { ContainerData } from "./containers.ts";
import type { BookCopyData, CopyProgressData } from "./copies.ts";
import type { EditorData, EditorScreenData } from "./editor.ts";
import type { ImageData, ImagesData } from "./image_manager.ts";
import type { PlacesData } from "./places.ts";
import type { SortData } from "./sort_view.ts";
import type { TagRenameData, TagRenameProgressData } from "./tags.ts";

/** What the files of this plugin share. */
export interface EditingContext extends Pick<PluginContext, "app" | "baseUrl" | "contribute"> {
  readonly web: Web;
  readonly markup: Markup;
  /** Addresses of the scripts that screens load. */
  readonly scripts: {
    readonly editor: string;
    readonly save: string;
    readonly drawer: string;
    readonly tags: string;
    readonly conflict: string;
    readonly rich: string;
    readonly images: string;
    readonly source: string;
    readonly languages: string;
    readonly order: string;
    readonly copy: string;
    readonly htmx: string;
  };
  /** Largest image, in megabytes. */
  readonly limitMb: number;
}

declare module "lectern/core" {
  interface Places {
    "editor/formatting": EditorData;
    "editor/insert": EditorData;
    "editor/toolbar": EditorData;
  }
  interface Views {
    "editing/attachments": AttachmentsData;
    "editing/book_copy": BookCopyData;
    "editing/conflict": ConflictData;
    "editing/container": ContainerData;
    "editing/copy": CopyProgressData;
    "editing/image": ImageData;
    "editing/images": ImagesData;
    "editing/page": EditorScreenData;
    "editing/places": PlacesData;
    "editing/sort": SortData;
    "editing/tag_rename": TagRenameData;
    "editing/tag_rename_progress": TagRenameProgressData;
  }
}
