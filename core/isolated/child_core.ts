/** The module "lectern/core" as isolated plugins import it: what needs neither the server nor its packages. */
export { type Static, type TSchema, Type as t } from "@sinclair/typebox";
export { sql } from "kysely";
export { ApiError, BootError, denied, localizedError, notFound } from "../errors.ts";
export { definePlugin } from "../runtime/plugin.ts";
export { authorOf, hasPermission, mayUseApi, requirePermission } from "../viewer.ts";
