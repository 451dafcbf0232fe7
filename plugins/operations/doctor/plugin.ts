import { definePlugin } from "lectern/core";
import { doctorCommand } from "./command.ts";

/** Checks the instance by the contributions to the slot `self_check`, and repairs what they can repair, by the command `doctor`. */
export default definePlugin({
  name: "doctor",
  commands: { doctor: doctorCommand },
  setup() {},
});
