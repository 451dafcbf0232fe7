/** Answers of the API that the screens show: screens are clients like any other. Only answers that create something have secrets. */
import type { Answers } from "lectern/contracts";

/** A page of a listing. */
export interface Listing<T> {
  readonly data: readonly T[];
  readonly total: number;
}

/** A key of dashboards or of enrolment. */
export type Key = Answers[`/api/v1/dashboard/keys/${number}`];

/** A new key, with its secret. */
export type CreatedKey = Key & { readonly token_secret: string; readonly basic: string };

/** Snippets for the configuration of dashboards. */
export type Snippets = Answers[`/api/v1/dashboard/keys/${number}/snippets`];

/** The used part of the rate limit. */
export type Usage = Answers["/api/v1/dashboard/usage"];

/** A host in listings. */
export type Host = Answers["/api/v1/dashboard/hosts"]["data"][number];

/** A single host, with what it reported. */
export type HostDetail = Answers[`/api/v1/dashboard/hosts/${number}`];

/** A new host, with its key. */
export type CreatedHost = Pick<Host, "id" | "friendly_name" | "api_id"> & { readonly api_key: string };

/** A webhook; only the answer that creates it has its secret. */
export type Webhook = Answers[`/api/webhooks/${number}`];

/** A type of event that webhooks can be called for. */
export type EventType = Answers["/api/webhooks/events"]["events"][number];

/** A call of a webhook. */
export type Delivery = Answers[`/api/webhooks/${number}/deliveries`]["data"][number];

/** A call with its request and response. */
export type DeliveryDetail = Answers[`/api/webhooks/${number}/deliveries/${number}`];

/** The current numbers. */
export type Numbers = Answers["/api/v1/dashboard/numbers"];

/** The numbers at one time. */
export type Point = History["points"][number];

/** The numbers over time. */
export type History = Answers["/api/v1/dashboard/history"];
