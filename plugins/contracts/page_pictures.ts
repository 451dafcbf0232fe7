import { deepFreeze, type SlotSpecs, type TableDependency } from "lectern/core";

/** A picture of this instance, as the screen of a page shows it. */
export interface PagePicture {
  /** What rows of the table have in its column, see `PagePictures.dependsOn`. */
  readonly row: number;
  /** The address of the original, which the picture links to. */
  readonly original: string;
  /** The same picture by its width in pixels, the narrowest first; none where there is only the original. */
  readonly forms: readonly { readonly address: string; readonly width: number }[];
  /** Pixels of what the address in the page names. */
  readonly width: number;
  readonly height: number;
  /** Whether it is larger than pages show it, so that readers may enlarge it. */
  readonly isLarge: boolean;
}

/**
 * Finds pictures of this instance by their addresses in pages, so that screens show each in a form that fits.
 * @example
 * context.contribute("page_pictures", {
 *   dependsOn: [{ table: "notes", column: "id" }],
 *   find: async (addresses) => new Map(addresses.filter((each) => each.startsWith("/notes/")).map((each) => [each, undefined])),
 * });
 */
export interface PagePictures {
  /** The table of the pictures, with the column that `PagePicture.row` is of. */
  readonly dependsOn: readonly (TableDependency & { readonly column: string })[];
  /** The pictures by address; undefined for an address of this kind without a picture now. Other addresses are left out. */
  find(addresses: readonly string[]): Promise<ReadonlyMap<string, PagePicture | undefined>>;
}

declare module "lectern/core" {
  interface Slots {
    page_pictures: PagePictures;
  }
}

/** What is known of this slot beside its type. */
export const pagePictureSlots = deepFreeze({
  page_pictures: { members: { dependsOn: "list", find: "function" }, limit: "readers" },
} as const satisfies SlotSpecs);
