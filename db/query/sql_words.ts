/** The words of SQL that plugins may use where a tree of Kysely is checked node by node: operators, functions, types. */

/** Operators that compare and compute; none of them runs a function that writes, waits or reads tables. */
export const OPERATORS: readonly string[] = (
  "= != <> > >= < <= in|not in|is|is not|like|not like|ilike|not ilike|is distinct from|is not distinct from|" +
  "@> <@ && ? ?& ?| ~ ~* !~ !~* + - * / % || not|exists|not exists|between|between symmetric"
)
  .split("|")
  .flatMap((words) => (/^[a-z]/.test(words) ? [words] : words.split(" ")))
  .concat("|", "||", "?|");

/** Functions that compute from their arguments alone, aggregates and window functions among them. */
export const FUNCTIONS: readonly string[] = (
  "abs any array_length avg btrim cardinality ceil char_length coalesce concat count date_trunc extract floor greatest left " +
  "least length lower ltrim max min mod now nullif octet_length position replace right round rtrim string_agg substr " +
  "substring sum text_key trim trunc upper bool_and bool_or array_agg json_agg jsonb_agg row_number rank dense_rank lag lead"
).split(" ");

/** Types of casts: none that looks an object up by its name, such as `regclass`. */
export const TYPES: RegExp =
  /^(small|big)?(int|serial)$|^(smallint|integer|int[248]|bigint|serial|bigserial|boolean|bool|text|citext|real|double precision|float[48]|numeric|decimal|uuid|bytea|jsonb?|date|timestamp|timestamptz|time)(\(\d{1,3}(, ?\d{1,3})?\))?(\[\])?$|^(var)?char\(\d{1,4}\)$/;

/** Texts of `sql` that carry no tables and no functions beyond those above. */
export const TEMPLATES: readonly string[] = [
  "asc",
  "desc",
  "now()",
  "current_timestamp",
  "current_date",
  "true",
  "false",
  "null",
  "'{}'",
  "'[]'",
];
