import { sql } from "lectern/core";
import { prepared } from "lectern/db";

/** What a start has to know of users, by one statement, as each start waits for it: whether there are any, and whose content is being handed over. */
export const bootState = prepared("users.bootState", (db) =>
  db.selectNoFrom([
    sql<boolean>`exists (select from users)`.as("hasUsers"),
    sql<number[]>`array(select user_id from user_transfers order by user_id)`.as("transfers"),
  ]),
);
