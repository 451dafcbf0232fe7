import { definePlugin } from "lectern/core";
import { load } from "./command.ts";

/** The command `load`: a folder of Markdown into any server of this API. Needs no store and adds no routes. */
export default definePlugin({ name: "loader", commands: { load }, setup: () => {} });
