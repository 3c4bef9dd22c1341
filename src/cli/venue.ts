// The operator's commands for venues.

import type { CommandContext } from '../base/command-context.ts';
import type { Mode } from '../base/config.ts';
import type { Queryable } from '../base/db.ts';
import { MAX_AMOUNT } from '../base/money.ts';
import { createVenueWithKeys } from '../domain/keys/sandbox-venue.ts';
import { findDebts, type VenueDebt } from '../domain/payments/debt-queries.ts';
import { type CostExample, compareWithListPrice, isBelowCost, LIST_PRICE } from '../domain/payments/list-price.ts';
import { finishSandboxOnboarding, whyNotPayable } from '../domain/payments/payout-account.ts';
import { findPayoutAccount, type PayoutAccount } from '../domain/payments/payout-account-queries.ts';
import {
  addOrigin,
  changeFee,
  removeOrigin,
  resumeVenue,
  revokeVenue,
  suspendVenue,
} from '../domain/venues/change-venue.ts';
import { requireOrigin } from '../domain/venues/create-venue.ts';
import { listVenues, type VenueRow } from '../domain/venues/queries.ts';
import type { AppContext } from '../run/context.ts';
import { errorLine, explainNotFound, quoted, usageError } from './cli-error.ts';
import type { Command, CommandInput, CommandResult, OpenContext, Option } from './command-definition.ts';
import { everyPage } from './every-page.ts';
import { choiceOption, integerOption } from './options.ts';
import { requireVenue, venueIdIn } from './require-venue.ts';
import { block, formatTimestamp, table } from './table.ts';
import { approve, linkAndOverride, unapprove } from './venue-approve.ts';
import { onboard } from './venue-onboard.ts';
import { profileJson, profileLines, update } from './venue-update.ts';

const MAX_ORIGINS = 50;

function toJson(venue: VenueRow) {
  const { id, name, linked, test_origins: test, live_origins: live, created_at, revoked_at } = venue;
  const fee = { bps: venue.fee_bps, fixed: venue.fee_fixed };
  return { id, name, linked, origins: allOrigins(venue), origins_by_mode: { test, live }, fee, created_at, revoked_at };
}

/** Those of either mode. */
function allOrigins({ test_origins: test, live_origins: live }: VenueRow): string[] {
  return [...new Set([...test, ...live])];
}

function originLines({ test_origins: test, live_origins: live }: VenueRow): [string, string][] {
  const [inTest, inLive] = [test.join(', ') || 'none', live.join(', ') || 'none'];
  if (inTest === inLive) return [['origins', inTest]];
  return [
    ['origins (test)', inTest],
    ['origins (live)', inLive],
  ];
}

function statusOf(venue: VenueRow): string {
  if (venue.revoked_at !== null) return 'revoked';
  if (venue.suspended_at !== null) return 'suspended';
  return venue.linked ? 'linked' : 'sandbox';
}

function feeText(venue: VenueRow): string {
  return `${venue.fee_bps} bps + ${venue.fee_fixed}`;
}

function venueResult(venue: VenueRow): CommandResult {
  const pairs: [string, string][] = [
    ['id', venue.id],
    ['name', venue.name],
    ['status', statusOf(venue)],
    ...originLines(venue),
    ['fee', feeText(venue)],
    ['created', formatTimestamp(venue.created_at)],
  ];
  if (venue.revoked_at !== null) pairs.push(['revoked', formatTimestamp(venue.revoked_at)]);
  return { json: toJson(venue), text: block(pairs) };
}

/** Checks an origin by the domain's rule before the database is opened. */
function originIn(text: string, label: string, mode: Mode | null = null): string {
  try {
    return requireOrigin(text, mode);
  } catch {
    throw usageError(
      `${label} is ${quoted(text)}, which is not an origin: give scheme, host and port alone, such as https://example.com (http only for localhost${mode === 'live' ? ', and not in live mode' : ''}).`,
    );
  }
}

const WITHOUT_PAYOUTS: Option = {
  name: 'without-payouts',
  valueName: null,
  help: 'in the sandbox: do not complete its payout onboarding, so that live checkouts are refused',
};

function payoutJson(account: PayoutAccount | null) {
  if (account === null) return null;
  const { accountId, transfersStatus, requirementsDue, checkedAt } = account;
  return { account: accountId, transfers: transfersStatus, due: requirementsDue, checked_at: checkedAt };
}

/** What the venue's next transfers are reduced by. */
function debtText(debts: readonly VenueDebt[]): string {
  if (debts.length === 0) return 'nothing';
  const amounts = debts.map(({ mode, currency, amount }) => `${amount} ${currency} (${mode})`);
  return `${amounts.join(', ')}, in minor units; its next transfers are reduced by it`;
}

function payoutText(account: PayoutAccount | null): string {
  if (account === null) return 'no account';
  return `${account.transfersStatus ?? 'not asked yet'} (${account.accountId})`;
}

/**
 * What a venue still needs for live checkouts. In the sandbox its payout onboarding is completed here, so that live mode
 * can be tried at once. An error is shown and not thrown: the venue exists, and its keys are shown once.
 */
async function preparePayouts(
  { services }: AppContext,
  venueId: string,
  isComplete: boolean,
): Promise<{ readonly account: PayoutAccount | null; readonly text: string }> {
  let account = await findPayoutAccount(services.db, venueId, 'live');
  if (isComplete && services.processors.live?.isSandbox === true) {
    try {
      account = await finishSandboxOnboarding(services, venueId, 'live');
    } catch (error) {
      const text = `the sandbox could not complete it (${errorLine(error, [])}): run "everyshare venue link ${venueId}"`;
      return { account, text };
    }
  }
  const missing = whyNotPayable(account);
  const email = account === null ? ' --email ADDRESS' : '';
  const remedy = `Run "everyshare venue onboard ${venueId} --mode live${email}".`;
  return { account, text: missing === null ? payoutText(account) : `none yet. ${missing} ${remedy}` };
}

type Change = (tx: Queryable, command: CommandContext, id: string) => Promise<VenueRow>;

async function applyChange(id: string, open: OpenContext, change: Change): Promise<CommandResult> {
  const { context, command } = await open();
  return venueResult(await explainNotFound('venue', id, () => context.db.transaction((tx) => change(tx, command, id))));
}

const create: Command = {
  words: ['venue', 'create'],
  arguments: [],
  help: 'create a venue with a test key of each kind; linked, unless it is a sandbox',
  mayBeFirst: true,
  options: [
    { name: 'name', valueName: 'NAME', isRequired: true, help: 'its name, 1 to 120 characters' },
    {
      name: 'origin',
      valueName: 'URL',
      isRepeatable: true,
      help: 'an origin whose pages may use its publishable keys',
    },
    { name: 'sandbox', valueName: null, help: 'not linked: test mode only, until "venue link"' },
    WITHOUT_PAYOUTS,
  ],
  async run(input, open) {
    const origins = input.texts('origin').map((text) => originIn(text, '--origin'));
    if (origins.length > MAX_ORIGINS)
      throw usageError(`--origin is given ${origins.length} times: a venue has at most ${MAX_ORIGINS} origins.`);
    const request = { name: input.required('name'), origins, sandbox: input.flag('sandbox') };
    const { context, command } = await open();
    const { venue, secretTest, publishableTest } = await context.db.transaction((tx) =>
      createVenueWithKeys(tx, command, request),
    );
    const { id, name, linked } = venue;
    const payouts = linked ? await preparePayouts(context, id, !input.flag('without-payouts')) : null;
    const text = block([
      ['id', id],
      ['name', name],
      ['status', linked ? 'linked' : 'sandbox'],
      ['origins', venue.origins.join(', ') || 'none'],
      ['secret key (test)', secretTest],
      ['publishable key (test)', publishableTest],
      ...(payouts === null ? [] : [['payouts (live)', payouts.text] as [string, string]]),
    ]);
    return {
      json: {
        id,
        name,
        linked,
        origins: venue.origins,
        keys: { secret_test: secretTest, publishable_test: publishableTest },
        payouts: { live: payoutJson(payouts?.account ?? null) },
      },
      text: `${text}\n\nThe keys are shown once: keep them now.`,
    };
  },
};

const list: Command = {
  words: ['venue', 'list'],
  arguments: [],
  help: 'list the venues, newest first',
  options: [],
  async run(_input, open) {
    const { context } = await open();
    const venues = await everyPage((before) => listVenues(context.db, before));
    const rows = venues.map((venue) => [
      venue.id,
      venue.name,
      statusOf(venue),
      feeText(venue),
      formatTimestamp(venue.created_at),
      allOrigins(venue).join(' ') || '-',
    ]);
    const emptyText = 'There are no venues yet: create one with "everyshare venue create --name NAME".';
    return {
      json: venues.map(toJson),
      text: rows.length === 0 ? emptyText : table(['ID', 'NAME', 'STATUS', 'FEE', 'CREATED', 'ORIGINS'], rows),
    };
  },
};

const show: Command = {
  words: ['venue', 'show'],
  arguments: ['ID'],
  help: 'show one venue',
  options: [],
  async run(input, open) {
    const id = venueIdIn(input);
    const { context } = await open();
    const venue = await requireVenue(context.db, id);
    const result = venueResult(venue);
    const [test, live] = [
      await findPayoutAccount(context.db, id, 'test'),
      await findPayoutAccount(context.db, id, 'live'),
    ];
    const debts = await findDebts(context.db, id);
    const missing = whyNotPayable(live);
    const text = block([
      ...profileLines(venue),
      ['payouts (test)', payoutText(test)],
      ['payouts (live)', missing === null ? payoutText(live) : `${payoutText(live)}. ${missing}`],
      ['owes', debtText(debts)],
    ]);
    return {
      json: {
        ...(result.json as object),
        ...profileJson(venue),
        payouts: { test: payoutJson(test), live: payoutJson(live) },
        debts: debts.map(({ mode, currency, amount }) => ({ mode, currency, amount })),
      },
      text: `${result.text}\n${text}`,
    };
  },
};

const link: Command = {
  words: ['venue', 'link'],
  arguments: ['ID'],
  help: 'assert that a sandbox venue is verified, so that it may have live keys; says what of its checklist this overrides',
  options: [WITHOUT_PAYOUTS],
  async run(input, open) {
    const id = venueIdIn(input);
    const { context, command } = await open();
    const { venue, overrides } = await explainNotFound('venue', id, () =>
      context.db.transaction((tx) => linkAndOverride(tx, command, id, context.services.goLive)),
    );
    const result = venueResult(venue);
    const payouts = await preparePayouts(context, id, !input.flag('without-payouts'));
    const lines: [string, string][] = [['payouts (live)', payouts.text]];
    if (overrides.length > 0) lines.push(['overrides', `${overrides.join(', ')}: the venue has not shown this itself`]);
    return {
      json: { ...(result.json as object), overrides, payouts: { live: payoutJson(payouts.account) } },
      text: `${result.text}\n${block(lines)}`,
    };
  },
};

const revoke: Command = {
  words: ['venue', 'revoke'],
  arguments: ['ID'],
  help: 'revoke a venue: from the next request on, all of its keys are refused',
  options: [],
  run: async (input, open) => applyChange(venueIdIn(input), open, revokeVenue),
};

const suspend: Command = {
  words: ['venue', 'suspend'],
  arguments: ['ID'],
  help: 'suspend a venue: no new checkouts, those that exist end as they would',
  options: [{ name: 'note', valueName: 'TEXT', isRequired: true, help: 'why, for operators alone' }],
  async run(input, open) {
    const note = input.required('note').trim();
    if (note === '' || note.length > 500)
      throw usageError('--note is empty or too long: say why in 1 to 500 characters.');
    return applyChange(venueIdIn(input), open, (tx, command, id) => suspendVenue(tx, command, id, note));
  },
};

const resume: Command = {
  words: ['venue', 'resume'],
  arguments: ['ID'],
  help: 'let a suspended venue create checkouts again',
  options: [],
  run: async (input, open) => applyChange(venueIdIn(input), open, resumeVenue),
};

const ORIGIN_MODE: Option = { name: 'mode', valueName: 'MODE', help: 'test or live; both when absent' };

/** Null: both modes. */
function originModeIn(input: CommandInput): Mode | null {
  return input.text('mode') === null ? null : choiceOption<Mode>(input, 'mode', ['test', 'live']);
}

const originAdd: Command = {
  words: ['venue', 'origin', 'add'],
  arguments: ['ID', 'URL'],
  help: 'let the pages of an origin use the publishable keys of a venue, and guests return to it',
  options: [ORIGIN_MODE],
  async run(input, open) {
    const id = venueIdIn(input);
    const mode = originModeIn(input);
    const origin = originIn(input.argument(1), 'URL', mode);
    return applyChange(id, open, (tx, command) => addOrigin(tx, command, id, origin, mode));
  },
};

const originRemove: Command = {
  words: ['venue', 'origin', 'remove'],
  arguments: ['ID', 'URL'],
  help: 'remove an origin of a venue',
  options: [ORIGIN_MODE],
  async run(input, open) {
    const id = venueIdIn(input);
    const mode = originModeIn(input);
    const origin = originIn(input.argument(1), 'URL');
    return applyChange(id, open, (tx, command) => removeOrigin(tx, command, id, origin, mode));
  },
};

const fee: Command = {
  words: ['venue', 'fee'],
  arguments: ['ID'],
  help: 'set the fee that checkouts created from now on carry',
  options: [
    { name: 'bps', valueName: 'N', isRequired: true, help: 'hundredths of a percent of the amount, 0 to 10000' },
    { name: 'fixed', valueName: 'N', isRequired: true, help: `minor units on top, 0 to ${MAX_AMOUNT}` },
  ],
  async run(input, open) {
    const id = venueIdIn(input);
    const bps = integerOption(input, 'bps', 0, 10_000) ?? 0;
    const fixed = integerOption(input, 'fixed', 0, MAX_AMOUNT) ?? 0;
    const result = await applyChange(id, open, (tx, command) => changeFee(tx, command, id, bps, fixed));
    return withCostWarning(result, compareWithListPrice({ bps, fixed }));
  },
};

/** The processor's fee comes out of ours: a fee that is lower loses money with every checkout. */
function withCostWarning(result: CommandResult, examples: readonly CostExample[]): CommandResult {
  const json = { ...(result.json as object), examples: examples.map(costJson) };
  if (!examples.some(isBelowCost)) return { json, text: result.text };
  const price = `${LIST_PRICE.bps / 100} % + ${LIST_PRICE.fixed} for each guest’s charge`;
  const rows = examples.map(({ guests, share, fee: earned, cost }) =>
    [guests, share, earned, cost, earned - cost].map(String),
  );
  const costs = table(['GUESTS', 'EACH PAYS', 'FEE', 'PROCESSOR', 'LEFT'], rows);
  const warning = `Warning: this fee does not always cover what the card processor charges (list price ${price}):`;
  return { json, text: `${result.text}\n\n${warning}\n\n${costs}` };
}

function costJson({ guests, share, fee: earned, cost }: CostExample): object {
  return { guests, share_amount: share, fee_amount: earned, processor_fee_amount: cost, left: earned - cost };
}

export const venueCommands: readonly Command[] = [
  create,
  list,
  show,
  link,
  approve,
  unapprove,
  onboard,
  update,
  revoke,
  suspend,
  resume,
  originAdd,
  originRemove,
  fee,
];
