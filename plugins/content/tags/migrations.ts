import { sql } from "lectern/core";
import type { Migrations } from "lectern/db";

/** The table of tags. Its indexes find items by tag, ignoring case and accents. */
export const migrations: Migrations = {
  async "0001_init"(db) {
    await sql`
      create table tags (
        kind text not null,
        item_id integer not null,
        position integer not null,
        name text not null,
        value text not null default '',
        sort_order integer not null default 0,
        primary key (kind, item_id, position)
      );
      create index tags_by_name on tags (lower(name), lower(value), kind, item_id);
    `.execute(db);
  },
  // Index for searches by value alone.
  async "0002_values"(db) {
    await sql`create index tags_by_value on tags (lower(value), kind, item_id)`.execute(db);
  },
  // Comparison keys of names and values (core's text_key). Indexes hold a prefix, since the size of an index entry is limited.
  // Adding a stored column rewrites the table, so the old indexes are dropped first.
  async "0003_keys"(db) {
    await sql`
      drop index tags_by_name, tags_by_value;
      alter table tags
        add column name_key text collate "C" generated always as (text_key(name)) stored,
        add column value_key text collate "C" generated always as (text_key(value)) stored;
      create index tags_by_name on tags (left(name_key, 200), left(value_key, 200), kind, item_id);
      create index tags_by_value on tags (left(value_key, 200), kind, item_id)`.execute(db);
  },
  // The leading number of a value, else 0: searches such as [ver>5] compare it.
  async "0004_numbers"(db) {
    await sql`
      alter table tags add column value_number numeric generated always as (coalesce(
        (regexp_match(value, '^\\s*([+-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)(e[+-]?[0-9]{1,3}(?![0-9]))?)', 'i'))[1]::numeric, 0)) stored;
      create index tags_by_number on tags (left(name_key, 200), value_number, kind, item_id)`.execute(db);
  },
  // Counts of tags (counts.ts), their changes, and counts of names (merge.ts). Triggers are created when the tables of the items are there.
  async "0005_counts"(db) {
    await sql`
      create table tag_count (
        kind text not null,
        acl_id integer not null,
        name text not null,
        name_key text collate "C" generated always as (text_key(name)) stored,
        value text not null,
        n integer not null,
        is_shared boolean not null
      );
      create index tag_count_by_name on tag_count (left(name_key, 200), left(value, 200), kind, acl_id);
      create index tag_count_shared on tag_count (kind, acl_id) where is_shared;
      create table tag_change (
        kind text not null,
        acl_id integer not null,
        name text not null,
        value text not null,
        n integer not null
      );
      create table tag_name_count (
        kind text not null,
        acl_id integer not null,
        name text not null,
        usages integer not null,
        own_values integer not null
      )`.execute(db);
  },
  // Names and values that differ in case and accents alone count as one. Texts that did not count as shared may do so now.
  async "0006_folded_counts"(db) {
    await sql`
      drop index tag_count_by_name;
      alter table tag_count add column value_key text collate "C" generated always as (text_key(value)) stored;
      alter table tag_change
        add column name_key text collate "C" generated always as (text_key(name)) stored,
        add column value_key text collate "C" generated always as (text_key(value)) stored;
      alter table tag_name_count add column name_key text collate "C" generated always as (text_key(name)) stored;
      create index tag_count_by_name on tag_count (left(name_key, 200), left(value_key, 200), kind, acl_id);
      update tag_count set is_shared = true from (
          select name_key, value_key from tag_count group by 1, 2 having count(*) > 1) as several
        where not is_shared and tag_count.name_key = several.name_key and tag_count.value_key = several.value_key;
      delete from tag_name_count;
      insert into tag_name_count (kind, acl_id, name, usages, own_values)
        select kind, acl_id, name, sum(n), count(*) filter (where not is_shared) from tag_count group by 1, 2, 3`.execute(
      db,
    );
  },
  // Names and values that begin with a text, for suggestions.
  async "0007_prefixes"(db) {
    await sql`
      create index tag_name_count_by_name on tag_name_count (left(name_key, 200));
      create index tag_count_by_value on tag_count (left(value_key, 200))`.execute(db);
  },
};
