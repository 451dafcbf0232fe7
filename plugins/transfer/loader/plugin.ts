import { definePlugin } from "lectern/core";
import { load } from "./command.ts";

/** The command `load`, which loads a folder of Markdown into any server of this API. It needs no store and has no routes. */
export default definePlugin({ name: "loader", commands: { load }, setup: () => {} });
