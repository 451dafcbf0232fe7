/** What the parts of screens, such as forms and tables, are drawn from. */
import type { HtmlPart, InputObject } from "lectern/core";

/** A field of a form. */
export interface FieldSpec {
  readonly name: string;
  readonly label: string;
  /** `textarea`, `select`, `checkbox`, `password`, `email`, `datetime-local`, `file` …; `text` by default. */
  readonly type?: string;
  readonly value?: string | number | boolean | null | undefined;
  readonly errors?: readonly string[] | undefined;
  readonly help?: HtmlPart;
  readonly required?: boolean;
  readonly rows?: number;
  readonly autocomplete?: string;
  readonly placeholder?: string;
  readonly accept?: string;
  readonly multiple?: boolean;
  readonly maxlength?: number;
  readonly min?: number;
  readonly max?: number;
  readonly autofocus?: boolean;
  /** Of a `select`: values with their texts. */
  readonly options?: readonly (readonly [value: string | number, text: string])[];
}

/** A form, sent by POST. */
export interface FormSpec {
  readonly action: string;
  readonly fields: HtmlPart;
  readonly submit: string;
  readonly cancel?: string;
  /** The error of the form as a whole. */
  readonly error?: string | undefined;
  readonly files?: boolean;
  /** Whether it cannot be undone. */
  readonly danger?: boolean;
  readonly label?: string;
  readonly id?: string;
}

/** A table; the cells of a row are in the order of the head. */
export interface TableSpec {
  readonly caption: string;
  readonly head: readonly HtmlPart[];
  readonly rows: readonly (readonly HtmlPart[])[];
  /** The text in place of a table without rows. */
  readonly empty: string;
}

/** The position in a paged listing. */
export interface PageSpec {
  readonly path: string;
  readonly query: InputObject;
  /** The parameter with the number of the page, for screens with several listings; "page" by default. */
  readonly field?: string;
  readonly total: number;
  /** The number of the page, from 1. */
  readonly page: number;
  readonly size: number;
}

/** A confirmation before what cannot be undone; the focus is on the way back. */
export interface ConfirmSpec {
  readonly question: string;
  readonly detail: HtmlPart;
  readonly action: string;
  readonly submit: string;
  readonly back: string;
  readonly fields?: HtmlPart;
}
