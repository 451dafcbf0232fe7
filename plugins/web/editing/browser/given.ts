/** What the server says to the rich editor of a form. */
import type { Texts } from "./screen.ts";
import type { Mode } from "./switch.ts";

/** What is in the attribute `data-rich` of the form. */
export interface Given {
  readonly mode: Mode;
  /** The HTML of a draft whose Markdown the textarea holds; "" where that is all of it. */
  readonly written: string;
  /** Whether the user may choose the editor. */
  readonly canSwitch: boolean;
  /** The address that remembers the editor that the user chooses. */
  readonly choice: string;
  readonly convert: string;
  readonly pages: string;
  readonly people: string;
  readonly templates: string;
  readonly files: string;
  readonly blocks: string;
  /** The address of the script of the source editor. */
  readonly sourceScript: string;
  readonly texts: Texts;
}
