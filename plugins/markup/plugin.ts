import { definePlugin } from "lectern/core";
import { markup } from "./mod.ts";

/** Text with markup: storing, rendering and cleaning it, for whoever keeps or shows such text (content-api 9). */
export default definePlugin({
  name: "markup",
  provides: ["markup"],
  setup({ provide }) {
    provide("markup", markup);
  },
});
