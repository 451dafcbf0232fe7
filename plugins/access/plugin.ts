import { definePlugin, denied } from "lectern/core";
import { decide, rowsFor } from "./decide.ts";

/** Decides who may do and see what, from roles and ownership. */
export default definePlugin({
  name: "access",
  provides: ["access"],
  setup({ provide }) {
    provide("access", {
      may: async (viewer, permission, item) => decide(viewer, permission, item),
      async need(viewer, permission, item) {
        if (!decide(viewer, permission, item)) throw denied();
      },
      sees: rowsFor,
    });
  },
});
