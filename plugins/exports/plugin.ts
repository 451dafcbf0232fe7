import { definePlugin } from "lectern/core";
import { htmlDocument } from "./html.ts";
import { markdown } from "./markdown.ts";
import { plaintext } from "./plaintext.ts";
import { mountExports } from "./routes.ts";
import { portableZip } from "./zip.ts";

/** Content as files: HTML, plain text, Markdown, portable ZIP (content-api 15). Kinds and formats come from slots. */
export default definePlugin({
  name: "exports",
  requires: ["markup", "system"],
  adds: ["content-export"],
  setup(context) {
    const { contracts, contribute } = context;
    contribute("export_format", htmlDocument(contracts.markup));
    contribute("export_format", plaintext(contracts.markup.text));
    contribute("export_format", markdown);
    contribute("export_format", portableZip(contracts.system));
    mountExports(context);
  },
});
