/**
 * Who may register, for the plugins that let people register themselves and for those that refuse accounts whose address is not confirmed: settings
 * of the instance, of which the older ones have variables.
 */
import type { InstanceSetting, InstanceSettings } from "lectern/contracts";
import type { Static } from "lectern/core";
import type { settings } from "./settings.ts";

/** A domain, or several separated by commas. */
const DOMAIN = /^[\p{L}\p{N}](?:[\p{L}\p{N}.-]*[\p{L}\p{N}])?$/u;

/** The settings of registrations. */
export function registrationSettings({ confirmation, restrict }: Static<typeof settings>): InstanceSetting[] {
  return [
    {
      ...{ name: "registration_enabled", group: "access", control: "switch", default: false },
      label: "People may register themselves",
      help: "Kept for plugins that offer registration; without one nobody can register.",
      rules: { registration_enabled: ["boolean"] },
    },
    {
      ...{ name: "registration_confirmation", group: "access", control: "switch", default: false },
      label: "Addresses have to be confirmed",
      help: "Refuses accounts whose e-mail address is not confirmed.",
      rules: { registration_confirmation: ["boolean"] },
      ...{ variable: "REGISTRATION_CONFIRMATION", given: confirmation },
    },
    {
      ...{ name: "registration_restrict", group: "access", control: "text", default: "" },
      label: "Domains of addresses that may register",
      help: "Separated by commas; empty for all. With any, addresses have to be confirmed.",
      rules: { registration_restrict: ["string", "max:2000"] },
      ...{ variable: "REGISTRATION_RESTRICT", given: restrict },
      check: (value) =>
        String(value)
          .split(",")
          .every((domain) => DOMAIN.test(domain.trim()))
          ? undefined
          : { text: "These are no domains such as example.com, separated by commas." },
    },
  ];
}

/** Whether accounts with an unconfirmed e-mail address are refused. */
export function needsConfirmation(settings: InstanceSettings): boolean {
  return settings.value("registration_confirmation") || settings.value("registration_restrict") !== "";
}
