import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "lectern/core";

/**
 * Parses dates in filters: absolute ones, or relative to now in the common formats of PHP's strtotime, which BookStack
 * parses them with: `2024-01-31`, `2024-01-31 09:30`, `31 January 2024`, `yesterday`, `-1 week`, `2 days ago`, `last
 * monday`, `first day of next month`. All in UTC. Parts may be in any order. As in PHP, the date is applied first, then
 * offsets, then the first or last day of the month, then weekdays.
 */

const MONTHS =
  "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?";
const DAYS = "sun(?:day)?|mon(?:day)?|tue(?:s|sday)?|wed(?:nesday)?|thu(?:r|rs|rsday)?|fri(?:day)?|sat(?:urday)?";
const MONTH_ORDER = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const DAY_ORDER = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
const MONTH = `(?<name>${MONTHS})(?![a-z])`;
const UNIT = "(?<unit>sec|second|min|minute|hour|day|fortnight|week|month|year)s?(?![a-z])";
const WHICH = "(?<which>last|previous|this|next)";
const DAY = "(?<day>\\d{1,2})(?:st|nd|rd|th)?(?!\\d)";
/** Milliseconds by unit. Months and years differ in length. */
const UNIT_MS: Readonly<Record<string, number>> = {
  sec: SECOND_MS,
  second: SECOND_MS,
  min: MINUTE_MS,
  minute: MINUTE_MS,
  hour: HOUR_MS,
  day: DAY_MS,
  week: 7 * DAY_MS,
  fortnight: 14 * DAY_MS,
};
const OFFSETS: Readonly<Record<string, number>> = { last: -1, previous: -1, this: 0, next: 1 };
/** Maximum length of a date. */
const MAX_TEXT = 60;
const MAX_YEAR = 9_999;

/** What has been parsed so far. */
interface ParsedDate {
  year: number;
  /** From 1. */
  month: number;
  day: number;
  /** Milliseconds since midnight. */
  time: number;
  /** Offsets; months are separate, since they differ in length. */
  months: number;
  milliseconds: number;
  /** "first" or "last" day of the month. */
  edge: string | undefined;
  weekday: { readonly day: number; readonly which: string | undefined } | undefined;
}

type Groups = Readonly<Record<string, string | undefined>>;

/** Patterns of the parts of a date; each matches where the one before ended. */
const PARTS: readonly (readonly [RegExp, (found: Groups, date: ParsedDate) => void])[] = [
  [/^@(?<seconds>-?\d{1,11})$/, epoch],
  [/^(?<year>\d{4})[-/](?<month>\d{1,2})[-/](?<day>\d{1,2})(?!\d)/, calendar],
  [/^(?<year>\d{4})-(?<month>\d{2})(?![\d-])/, calendar],
  [/^(?<month>\d{1,2})\/(?<day>\d{1,2})\/(?<year>\d{4})(?!\d)/, calendar],
  [/^(?<day>\d{1,2})[-.](?<month>\d{1,2})[-.](?<year>\d{4})(?!\d)/, calendar],
  [new RegExp(`^${DAY}[ -]${MONTH}(?:[ ,-]+(?<year>\\d{4}))?`), calendar],
  [new RegExp(`^${MONTH} ${DAY}(?:[ ,]+(?<year>\\d{4}))?`), calendar],
  [new RegExp(`^${MONTH}[ ,]+(?<year>\\d{4})`), calendar],
  [/^t?(?<hours>\d{1,2}):(?<minutes>[0-5]\d)(?::(?<seconds>[0-5]\d)(?:\.\d{1,9})?)?(?: ?(?<half>[ap])m)?/, clock],
  [/^(?<sign>[+-])(?<hours>[01]\d):(?<minutes>[0-5]\d)/, zone],
  [/^(?:z|utc|gmt|now)(?![a-z])/, () => {}],
  [/^(?<word>today|midnight|yesterday|tomorrow|noon)(?![a-z])/, word],
  [/^(?<edge>first|last) day of(?![a-z])/, edgeOfMonth],
  [new RegExp(`^(?<sign>[+-]?) ?(?<amount>\\d{1,6}|an?) ?${UNIT}(?<ago> ago)?`), relative],
  [new RegExp(`^${WHICH} ${UNIT}`), ({ which = "", unit = "" }, date) => add(date, unit, OFFSETS[which] ?? 0)],
  [new RegExp(`^(?:${WHICH} )?(?<weekday>${DAYS})(?![a-z])`), weekday],
];

/** Parses a date; undefined if it is invalid. An empty text is now, as in BookStack. */
export function parseDate(text: string, now: Date): Date | undefined {
  if (text.length > MAX_TEXT) return undefined;
  const date: ParsedDate = {
    year: now.getUTCFullYear(),
    month: now.getUTCMonth() + 1,
    day: now.getUTCDate(),
    time: now.getTime() % DAY_MS,
    months: 0,
    milliseconds: 0,
    edge: undefined,
    weekday: undefined,
  };
  for (let rest = text.toLowerCase().trim(); rest !== ""; ) {
    const after = readPart(rest, date);
    if (after === undefined) return undefined;
    rest = after.replace(/^[\s,]+/, "");
  }
  return toDate(date);
}

/** Parses the first part of a text and returns the rest; undefined if no pattern matches. */
function readPart(rest: string, date: ParsedDate): string | undefined {
  for (const [pattern, read] of PARTS) {
    const found = pattern.exec(rest);
    if (!found) continue;
    read(found.groups ?? {}, date);
    return rest.slice(found[0].length);
  }
  return undefined;
}

function toDate({ year, month, day, time, months, milliseconds, edge, weekday: wanted }: ParsedDate): Date | undefined {
  if (month < 1 || month > 12 || day < 1 || day > 31) return undefined;
  const moment = new Date(0);
  moment.setUTCFullYear(year, month - 1 + months, day);
  moment.setTime(moment.getTime() + time + milliseconds);
  if (edge)
    moment.setUTCFullYear(
      moment.getUTCFullYear(),
      moment.getUTCMonth() + (edge === "last" ? 1 : 0),
      edge === "last" ? 0 : 1,
    );
  if (wanted) moment.setTime(moment.getTime() + daysTo(moment.getUTCDay(), wanted) * DAY_MS);
  const found = moment.getUTCFullYear();
  return found >= 1 && found <= MAX_YEAR ? moment : undefined;
}

/** Days from one day of the week to another: 0 for today with a bare name or "this". */
function daysTo(from: number, { day, which }: NonNullable<ParsedDate["weekday"]>): number {
  if (which === "last" || which === "previous") return -((from - day + 6) % 7) - 1;
  return which === "next" ? ((day - from + 6) % 7) + 1 : (day - from + 7) % 7;
}

function epoch({ seconds }: Groups, date: ParsedDate): void {
  Object.assign(date, { year: 1970, month: 1, day: 1, time: 0, milliseconds: Number(seconds) * SECOND_MS });
}

function calendar({ year, month, name, day }: Groups, date: ParsedDate): void {
  if (year !== undefined) date.year = Number(year);
  date.month = name === undefined ? Number(month) : MONTH_ORDER.indexOf(name.slice(0, 3)) + 1;
  date.day = Number(day ?? 1);
  date.time = 0;
}

function clock({ hours, minutes, seconds = "0", half }: Groups, date: ParsedDate): void {
  const hour = half === undefined ? Number(hours) : (Number(hours) % 12) + (half === "p" ? 12 : 0);
  date.time = ((hour * 60 + Number(minutes)) * 60 + Number(seconds)) * SECOND_MS;
}

function zone({ sign, hours, minutes }: Groups, date: ParsedDate): void {
  date.milliseconds += (sign === "+" ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * MINUTE_MS;
}

function word({ word: found }: Groups, date: ParsedDate): void {
  date.time = found === "noon" ? DAY_MS / 2 : 0;
  if (found === "yesterday") date.milliseconds -= DAY_MS;
  if (found === "tomorrow") date.milliseconds += DAY_MS;
}

function edgeOfMonth({ edge }: Groups, date: ParsedDate): void {
  date.edge = edge;
  // Months are added to the first day, since the 31st plus a month may overflow into the month after.
  date.day = 1;
}

function relative({ sign, amount = "", unit = "", ago }: Groups, date: ParsedDate): void {
  const count = /^an?$/.test(amount) ? 1 : Number(amount);
  add(date, unit, (sign === "-" ? -1 : 1) * (ago === undefined ? 1 : -1) * count);
}

function add(date: ParsedDate, unit: string, count: number): void {
  if (unit === "month" || unit === "year") date.months += unit === "year" ? count * 12 : count;
  else date.milliseconds += count * (UNIT_MS[unit] ?? 0);
}

function weekday({ which, weekday: name = "" }: Groups, date: ParsedDate): void {
  date.weekday = { day: DAY_ORDER.indexOf(name.slice(0, 3)), which };
  date.time = 0;
}
