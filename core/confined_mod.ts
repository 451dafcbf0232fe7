/**
 * The module "lectern/core" in a confined process: what needs neither the server nor its packages. Isolated plugins import it, and
 * the modules that run them.
 */
export { type Static, type TSchema, Type as t } from "@sinclair/typebox";
export { sql } from "kysely";
export { MessageReader, messageBytes, ProtocolError } from "./children/confinement/messages.ts";
export { ApiError, BootError, denied, localizedError, notFound } from "./errors.ts";
export { definePlugin } from "./runtime/plugin.ts";
export { Semaphore } from "./std/semaphore.ts";
export { authorOf, GUEST, hasPermission, mayUseApi, requirePermission, SYSTEM } from "./viewer.ts";
