import type { Kysely } from "kysely";
import type { SelfCheck } from "lectern/contracts";
import { sql } from "lectern/core";
import type { Tables } from "lectern/db";

/** Somebody has the role Admin and an account to sign in to. Who that should be follows from nothing, so nothing repairs it. */
export function administratorCheck(db: Kysely<Pick<Tables, "role_user" | "roles" | "users">>): SelfCheck {
  return {
    name: "users/administrator",
    title: "There is an administrator",
    async check() {
      const found = await db
        .selectFrom("role_user")
        .innerJoin("roles", "roles.id", "role_user.role_id")
        .innerJoin("users", "users.id", "role_user.user_id")
        .select("users.id")
        .where("roles.system_name", "=", sql.lit("admin"))
        .where("users.system_name", "=", "")
        .limit(1)
        .executeTakeFirst();
      if (found) return { status: "ok", count: 0, examples: [] };
      return {
        status: "error",
        count: 1,
        examples: ["no user has the role Admin"],
        advice: "Make one by the command user create --email E --name N --admin.",
      };
    },
  };
}
