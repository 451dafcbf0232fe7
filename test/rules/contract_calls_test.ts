/**
 * Every function that contracts and slots give to other plugins is classified by what it writes and how that is held, so that a new
 * one is not forgotten. What a plugin that does not ship may not call is refused by `provide` and by `ships` of slots;
 * `test/core/contract_calls_test.ts` tries it.
 */
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { declaredSlots } from "../../core/runtime/slot_specs.ts";
import plugins from "../../plugins/mod.ts";
import { readFunctions } from "./_contracts.ts";
import { tableBelow } from "./_hooks.ts";
import { ROOT, readSources } from "./_source.ts";

/** How functions are held, and which: the name of the contract or slot, then that of the function. */
const HELD = {
  /** Computes from its arguments alone. */
  pure: [
    "access.visibilityRuleOf access.visibleRows tags.of tags.read users.commonPassword users.ref",
    "web.paged markup.comment markup.compare markup.compareHtml markup.describe markup.describeHtml markup.filtered markup.merge markup.prepare markup.preview",
    "markup.commentOfMarkdown markup.passages markup.readdress markup.relink markup.render markup.safe markup.store markup.text",
    "web.parts.avatar web.parts.badge web.parts.button web.parts.confirm web.parts.copyable web.parts.dialogLink web.parts.difference",
    "web.parts.field web.parts.form web.parts.notice web.parts.pager web.parts.table web.parts.tabs web.parts.toolbar",
    "activity.activities content.hasParentList document_head.draw export_format.write last_activity.of",
    "markdown_converter.configure page_content.include page_content.postRender page_content.preStore page_content.show screen_head.css",
    "instance_setting.check instance_setting.options screen_head.links screen_head.meta screen_part.path search.wordsOf searched_parts.url view_replacement.draw",
  ],
  /** Reads what the viewer may read whom it is called with, who is one as whom the caller may act. */
  viewer: [
    "access.may access.need favourites.has users.guardedAdmin users.manageableUser web.addedParts web.figures web.toolbar",
    "content.contents content.selectContents content.selectOutline export_files.dependents export_files.named export_kind.contents",
    "export_kind.find export_kind.within item_reader.find item_reader.list response_fields.add response_fields.present",
    "response_fields.select screen_part.draw screen_part.read screen_redirect.find",
  ],
  /** Reads figures and facts that the contract or slot is for. */
  reads: [
    "fleet.details fleet.drift fleet.numbers instance_settings.fresh instance_settings.value instance_settings.version system.icon sessions.guest sessions.pending system.instanceId users.needsConfirmation users.viewer",
    "dashboard_figure.read metric.read screen_hook.after screen_hook.before",
    "telemetry.answerCache telemetry.isDegraded telemetry.isMigrated telemetry.isWorking telemetry.onAnswer telemetry.onWait",
    "telemetry.readCounts telemetry.replicas telemetry.storeLoad peers.ask traces.headers",
    "page_pictures.find web.decorate upkeep.deletedAbsentItems upkeep.lostFiles upkeep.pluginOfJob",
  ],
  /** Writes that a session or a key was used, which its caller knows, or what was noted of reads. */
  use: ["dashboard_keys.check item_views.stored sessions.viewer"],
  /** Registers or changes what is the caller's own: answers to its topics, spans, screens, views, icons, files of its folder, limits, tags of its kinds. */
  own: [
    "peers.onAsk search.forgetWords traces.record traces.run",
    "tags.save throttle.forgive throttle.take web.asset web.form web.icon web.places web.screen web.view",
    // A theme passes its own context, whose powers are checked.
    "theme_hook.attach",
  ],
  /** Performs its event and judges the viewer of the transaction. */
  judges: ["overrides.replace"],
  /** Sends mail, which is what the contract is for; the caller's pin names the contract. */
  sends: ["mail.send"],
  /** Needs the power `auth`. */
  auth: ["sessions.begin sessions.complete users.byPassword"],
  /** Writes, sends or hands out what others keep, without an event or a check: for plugins that ship with Lectern. */
  ships: [
    "dashboard_keys.spend instance_settings.secret overrides.areSet overrides.copy tags.beginningWith pages.discardDrafts pages.keepDraft pages.rewrite",
    "content_maker.make content_maker.read content_maker.refill content_record.changed dependents.destroy file_claims.used file_keeper.drop",
    "file_keeper.keep file_keeper.read file_store.get file_store.list file_store.put file_store.remove import_files.store",
    "mail_transport.send picture_keeper.keep response_fields.cached.onHit search_engine.find search_engine.index",
    "search_engine.remove self_check.check self_check.fix sign_in_step.isNeeded user_picture.of",
  ],
} as const;

type Kind = keyof typeof HELD;

/** The kinds of a function; one that is held exactly once has one. */
function kindsOf(name: string): Kind[] {
  return (Object.keys(HELD) as Kind[]).filter((kind) => namesOf(kind).includes(name));
}

function namesOf(kind: Kind): string[] {
  return HELD[kind].flatMap((line) => line.split(" "));
}

/** What is wrong with the classification of some functions. */
function unheld(names: readonly string[]): string[] {
  return names.flatMap((name) => {
    const kinds = kindsOf(name);
    return kinds.length === 1
      ? []
      : [`${name}: held as [${kinds.join(", ")}], wanted one of ${Object.keys(HELD).join(", ")}`];
  });
}

const contracts = readFunctions("Contracts");
const slots = readFunctions("Slots");

/** Functions of contributions that are for shipped plugins, by slot. */
function shippedCalls(): [slot: string, members: readonly string[]][] {
  const slots = [...declaredSlots(plugins, plugins).all()].sort(([a], [b]) => (a < b ? -1 : 1));
  return slots.flatMap(([slot, { ships }]): [string, readonly string[]][] => (ships ? [[slot, ships]] : []));
}

test("every function of a contract or slot is classified once, and no other is", () => {
  const all = [...contracts, ...slots];
  expect([contracts.length, slots.length].map((count) => count > 40)).toEqual([true, true]);
  expect(unheld(all)).toEqual([]);
  expect((Object.keys(HELD) as Kind[]).flatMap(namesOf).filter((name) => !all.includes(name))).toEqual([]);
});

test("what is for shipped plugins, or needs a power, is refused to others", () => {
  const shipped = slots.filter((name) => kindsOf(name).includes("ships"));
  const refused = shippedCalls().flatMap(([slot, members]) => members.map((member) => `${slot}.${member}`));
  expect(shipped.filter((name) => !refused.some((each) => name === each || name.startsWith(`${each}.`)))).toEqual([]);
  expect(refused.filter((name) => !shipped.some((each) => each === name || each.startsWith(`${name}.`)))).toEqual([
    // Data with functions that are declared elsewhere.
    "file_store.unfinished",
  ]);
  const texts = readSources().filter(({ path }) => path.startsWith("plugins/"));
  for (const kind of ["auth", "ships"] as const)
    for (const name of contracts.filter((each) => kindsOf(each).includes(kind))) {
      const [contract, member] = name.split(".");
      const isProvided = texts.some(
        ({ text }) => text.includes(`provide("${contract}", `) && text.includes(`${member}: "${kind}"`),
      );
      expect([name, isProvided]).toEqual([name, true]);
    }
});

test("the handbook lists the functions of slots that are for shipped plugins", () => {
  const [, text = ""] = readFileSync(join(ROOT, "plugins/hooks.md"), "utf8").split("## Functions for shipped plugins");
  const rows = shippedCalls().map(([slot, members]) => [
    `\`${slot}\``,
    members.map((member) => `\`${member}\``).join(", "),
  ]);
  expect(tableBelow(`## Functions${text}`, "Functions")).toEqual(rows);
});

test("the rule of functions can fail", () => {
  expect(unheld(["tags.save", "users.rename"])).toEqual([
    "users.rename: held as [], wanted one of pure, viewer, reads, use, own, judges, sends, auth, ships",
  ]);
});
