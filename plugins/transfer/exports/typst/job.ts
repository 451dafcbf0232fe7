import type { Paper } from "./template.ts";

/** The input of the child process: a JSON file, beside the files it names. */
export interface Job {
  readonly title: string;
  /** Language of the document, such as "de". */
  readonly language: string;
  readonly paper: Paper;
  /** Folders of font files. */
  readonly fonts: readonly string[];
  /** Items in reading order, the exported one first. */
  readonly items: readonly JobItem[];
  /** Image files by their addresses in the HTML. */
  readonly images: Readonly<Record<string, string>>;
}

/** An item of a job. */
export interface JobItem {
  /** Unique in the document. */
  readonly label: string;
  readonly name: string;
  readonly url: string;
  /** 0 for the exported item, 1 for its children, and so on. */
  readonly depth: number;
  /** Name of its parent, shown above its own; absent directly below the exported item. */
  readonly hint?: string;
  /** Name of the file with its HTML. */
  readonly html: string;
  /** Lines of metadata below a page that is exported alone. */
  readonly notes: readonly string[];
}

/** Names of the files that both processes use. */
export const FILES = { job: "job.json", main: "main.typ", result: "out.pdf", missing: "missing.json" } as const;

/** Exit codes of the child: success, Typst is not installed, Typst rejects the document. */
export const EXITS = { done: 0, missing: 78, refused: 65 } as const;
