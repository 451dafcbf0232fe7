/** The plugin whose route `hello.ts` measures, as the README has it. */
import { definePlugin } from "lectern/core";

export default definePlugin({
  name: "hello",
  setup: ({ app }) => void app.get("/hello", () => ({ hello: "world" }), { permit: "public" }),
});
