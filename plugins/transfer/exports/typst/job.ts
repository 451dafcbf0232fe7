import type { Paper } from "./template.ts";

/** What a child process is given to make a PDF of: a file of JSON, beside the files it names. */
export interface Job {
  readonly title: string;
  /** Language of the document, such as "de". */
  readonly language: string;
  readonly paper: Paper;
  /** Folders of fonts. */
  readonly fonts: readonly string[];
  /** Items in reading order, the exported one first. */
  readonly items: readonly JobItem[];
  /** Files of pictures by their addresses in the HTML. */
  readonly pictures: Readonly<Record<string, string>>;
}

/** An item of a job. */
export interface JobItem {
  /** Unique in the document. */
  readonly label: string;
  readonly name: string;
  readonly url: string;
  /** 0 for the exported item, 1 for what lies in it, and so on. */
  readonly depth: number;
  /** Name of what it lies in, to be told above its own; absent directly below the exported item. */
  readonly hint?: string;
  /** Name of the file with its HTML. */
  readonly html: string;
  /** Lines below a page that is exported by itself. */
  readonly notes: readonly string[];
}

/** The names of files that both sides know. */
export const FILES = { job: "job.json", main: "main.typ", result: "out.pdf", missing: "missing.json" } as const;

/** How the child ends: done, no engine on this machine, or a document that no engine takes. */
export const EXITS = { done: 0, missing: 78, refused: 65 } as const;
