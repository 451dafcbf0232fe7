import { definePlugin } from "lectern/core";
import { apiDe } from "./api_de.ts";
import { apiFr } from "./api_fr.ts";

/** German and French, for the API's messages and the screens; a text they lack is shown in English. */
export default definePlugin({
  name: "languages",
  setup({ texts }) {
    texts.add("de", apiDe);
    texts.add("fr", apiFr);
  },
});
