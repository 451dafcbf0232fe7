// `export *` and not a list: TypeScript merges `declare module "lectern/db"` into a re-exported
// interface only when it arrives through a star.

export { idColumn, timeColumns } from "./columns.ts";
export { GrantError, StoreError } from "./errors.ts";
export { type Grants, guarded } from "./guard.ts";
export type { Hearing } from "./listener.ts";
export { type Migrations, migrate, pending, type Standing, standing } from "./migrate.ts";
export { openStore, type Store, type StoreOptions } from "./open.ts";
export { fixed, flatten, prepared, rows, write } from "./rows.ts";
export * from "./tables.ts";
