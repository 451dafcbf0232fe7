import { Type as t } from "@sinclair/typebox";
import { MAX_KEYS } from "./std/expiring_map.ts";

/** The settings of the runtime about what it keeps in memory between requests. */
export const memorySettings = {
  maxLimitKeys: t.Integer({
    default: MAX_KEYS,
    minimum: 1_000,
    maximum: 10_000_000,
    constant: true,
    description:
      "Users and addresses that each limit counts in memory, some tens of megabytes; beyond, the least recently seen are dropped",
  }),
};
