/** Answers of the API that the screens show: screens are clients like any other. Only answers that create something have secrets. */
import type { Schema } from "lectern/client";
import type { Answers } from "lectern/contracts";

/** A page of a listing. */
export interface Listing<T> {
  readonly data: readonly T[];
  readonly total: number;
}

/** A key of dashboards or of enrolment. */
export type Key = Schema<"DashboardKey">;

/** A new key, with its secret. */
export type CreatedKey = Schema<"CreatedDashboardKey">;

/** Snippets for the configuration of dashboards. */
export type Snippets = Schema<"DashboardSnippets">;

/** The used part of the rate limit. */
export type Usage = Schema<"DashboardUsage">;

/** A host in listings. */
export type Host = Schema<"HostListItem">;

/** A single host, with what it reported. */
export type HostDetail = Schema<"Host">;

/** A new host, with its key. */
export type CreatedHost = Schema<"CreatedHost">;

/** A webhook; only the answer that creates it has its secret. */
export type Webhook = Answers[`/api/webhooks/${number}`];

/** A type of event that webhooks can be called for. */
export type EventType = Answers["/api/webhooks/events"]["events"][number];

/** A call of a webhook. */
export type Delivery = Answers[`/api/webhooks/${number}/deliveries`]["data"][number];

/** A call with its request and response. */
export type DeliveryDetail = Answers[`/api/webhooks/${number}/deliveries/${number}`];

/** The current numbers. */
export type Numbers = Schema<"ExtendedDashboardStats">;

/** The numbers at one time. */
export type Point = Schema<"HistoryPoint">;

/** The numbers over time. */
export type History = Schema<"DashboardHistory">;
