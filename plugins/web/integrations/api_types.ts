/** Answers of the API that the screens show: screens are clients like any other. Only answers that create something have secrets. */
import type { Answers, ChangeAnswer } from "lectern/contracts";

/** Keys of dashboards or of enrolment. */
export type Keys = Answers["/api/v1/dashboard/keys"];

/** A key of dashboards or of enrolment. */
export type Key = Answers[`/api/v1/dashboard/keys/${number}`];

/** A new key, with its secret. */
export type CreatedKey = ChangeAnswer<"POST", "/api/v1/dashboard/keys">;

/** Snippets for the configuration of dashboards. */
export type Snippets = Answers[`/api/v1/dashboard/keys/${number}/snippets`];

/** The used part of the rate limit. */
export type Usage = Answers["/api/v1/dashboard/usage"];

/** Hosts in a listing. */
export type Hosts = Answers["/api/v1/dashboard/hosts"];

/** A host in listings. */
export type Host = Hosts["data"][number];

/** A single host, with what it reported. */
export type HostDetail = Answers[`/api/v1/dashboard/hosts/${number}`];

/** A new host, with its key. */
export type CreatedHost = ChangeAnswer<"POST", "/api/v1/dashboard/hosts">;

/** Webhooks in a listing. */
export type Webhooks = Answers["/api/webhooks"];

/** A webhook; only the answer that creates it has its secret. */
export type Webhook = Answers[`/api/webhooks/${number}`];

/** A type of event that webhooks can be called for. */
export type EventType = Answers["/api/webhooks/events"]["events"][number];

/** Calls of a webhook. */
export type Deliveries = Answers[`/api/webhooks/${number}/deliveries`];

/** A call of a webhook. */
export type Delivery = Deliveries["data"][number];

/** A call with its request and response. */
export type DeliveryDetail = Answers[`/api/webhooks/${number}/deliveries/${number}`];

/** The current numbers. */
export type Numbers = Answers["/api/v1/dashboard/numbers"];

/** The numbers over time. */
export type History = Answers["/api/v1/dashboard/history"];

/** The numbers at one time. */
export type Point = History["points"][number];
