// Fills a venue with a believable year, for trying the console, for its tests and for pictures. The same seed and the same
// end give the same checkouts and sums. Only with the sandbox processor, and only a venue that has no checkout: nothing of
// the demo is ever mixed with real bookings.

import type { CommandContext } from '../../base/command-context.ts';
import type { Mode } from '../../base/config.ts';
import type { Db, Queryable } from '../../base/db.ts';
import type { Log } from '../../base/log.ts';
import { hasCheckouts } from '../checkouts/queries.ts';
import type { Caller } from '../keys/caller.ts';
import { finishSandboxOnboarding } from '../payments/payout-account.ts';
import type { Processor, Processors } from '../payments/processor.ts';
import { findVenue } from '../venues/queries.ts';
import { type Venue, venueInMode } from '../venues/venue.ts';
import { demoMedia } from './catalogue-contents.ts';
import {
  addKeys,
  addTeam,
  commandAt,
  createDemoVenue,
  DEMO_ORIGIN,
  type DemoKeys,
  describeVenue,
} from './demo-venue.ts';
import { fillActivity } from './fill-activity.ts';
import { type CallersAt, fillOfferings, fillRecent } from './fill-catalogue.ts';
import { fillDeliveries } from './fill-deliveries.ts';
import { fillDisputes } from './fill-disputes.ts';
import { fillIntegrations } from './fill-integrations.ts';
import { drawPictures, storePictures } from './fill-pictures.ts';
import { fillRequests } from './fill-requests.ts';
import type { PastSettings } from './past-checkout.ts';
import { planYear, YEAR_DAYS } from './plan.ts';
import { writePast } from './write-past.ts';

const DAY = 24 * 3_600_000;
const MODES = ['test', 'live'] as const;

export interface DemoServices {
  readonly db: Db;
  readonly log: Log;
  readonly processors: Processors;
  /** How long a transfer waits after the checkout completes, in milliseconds. */
  readonly payoutDelay: number;
}

export interface DemoOptions {
  /** Null: a new venue. */
  readonly venueId: string | null;
  readonly seed: number;
  /** The end of the year, in milliseconds: now, or before. */
  readonly until: number;
  readonly mode: Mode;
  /** About how many. */
  readonly checkouts: number;
  readonly onProgress: (part: number) => void;
}

export interface FilledVenue {
  readonly venueId: string;
  readonly mode: Mode;
  readonly keys: DemoKeys;
  readonly checkouts: number;
}

/** Why the demo cannot fill this venue. The message is for the operator. */
export class DemoRefusal extends Error {}

export async function fillVenue(
  services: DemoServices,
  command: CommandContext,
  options: DemoOptions,
): Promise<FilledVenue> {
  const { db } = services;
  const { mode, until } = options;
  const processor = services.processors[mode];
  if (processor?.isSandbox !== true)
    throw new DemoRefusal('demo data is made with the sandbox processor alone: this installation has a real one.');
  const yearBegins = until - (YEAR_DAYS + 1) * DAY;
  const past = commandAt(command, yearBegins);
  const venueId = options.venueId ?? (await db.transaction((tx) => createDemoVenue(tx, past)));
  const venue = await requireEmptyVenue(db, venueId, mode);
  const clock = { now: () => command.now };
  const accounts = new Map<Mode, string>();
  for (const one of MODES) {
    const { accountId } = await finishSandboxOnboarding({ ...services, clock }, venueId, one);
    accounts.set(one, accountId);
  }
  const callers: CallersAt = {
    venue: (at) => callerAt(command, venue, mode, at),
    reviewer: (at) => callerAt(command, venue, mode, at),
  };
  const { team, keys } = await db.transaction(async (tx) => {
    await describeVenue(tx, past, venueId);
    const team = await addTeam(tx, command, venueId, yearBegins);
    const keys = await addKeys(tx, commandAt(command, yearBegins, team.developer), venueId, mode, {
      yearBegins,
      until,
    });
    await fillOfferings(tx, callers, yearBegins);
    return { team, keys };
  });
  const settings: PastSettings = {
    venueId,
    venueName: venue.name,
    mode,
    fee: await feeOfVenue(db, venueId),
    returnUrl: `${venue.origins[0] ?? DEMO_ORIGIN}/bookings/done`,
    checkoutUrl: command.checkoutUrl,
    payoutDelay: services.payoutDelay,
    createdBy: keys.secretId,
    refundedBy: team.finance,
    until,
    random: command.random,
    seal: command.seal,
  };
  const plans = planYear(options);
  const pastServices = {
    db,
    log: services.log,
    random: command.random,
    processor,
    accountId: accounts.get(mode) ?? '',
    onProgress: options.onProgress,
  };
  const checkouts = await keepAwake(processor, accounts.get(mode) ?? '', () =>
    writePast(pastServices, settings, plans),
  );
  const experienceIds = await db.transaction((tx) => fillRecent(tx, callers, { yearBegins, until }));
  await fillActivity(
    { db, seal: command.seal },
    { venueId, mode, experienceIds, seed: options.seed, until, count: checkouts.length * 2 },
  );
  await fillDisputes({ ...services, clock, ids: command.ids }, processor, checkouts, until);
  const developerAt = (at: number): Caller => ({ ...callers.venue(at), actor: team.developer });
  const pictures = await drawPictures(demoMedia(yearBegins, until));
  await db.transaction((tx) => storePictures(tx, venueId, pictures, command.now));
  await db.transaction((tx) => fillSystems(tx, developerAt, options));
  const logged = { venueId, mode, keyId: keys.secretId, seed: options.seed, until };
  await db.transaction((tx) => fillRequests(tx, command, checkouts, logged));
  return { venueId, mode, keys, checkouts: checkouts.length };
}

/** Webhook endpoints and venue systems, with their deliveries. */
async function fillSystems(tx: Queryable, callerAt: (at: number) => Caller, options: DemoOptions): Promise<void> {
  await fillDeliveries(tx, callerAt, options);
  await fillIntegrations(tx, callerAt, options);
}

const AWAKE_MS = 20_000;

/**
 * The sandbox's processor ends after 90 seconds without a call. Beside no server, only this command calls it, and the
 * transaction that writes the year can take longer.
 */
async function keepAwake<T>(processor: Processor, accountId: string, work: () => Promise<T>): Promise<T> {
  let failure: Promise<unknown> = Promise.resolve();
  const timer = setInterval(() => {
    failure = processor.retrieveAccount(accountId);
    // Awaited below: until then a rejection must not end the program.
    failure.catch(() => undefined);
  }, AWAKE_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
    await failure;
  }
}

async function requireEmptyVenue(db: Db, venueId: string, mode: Mode): Promise<Venue> {
  const row = await findVenue(db, venueId);
  if (row === null)
    throw new DemoRefusal(`there is no venue ${venueId}: "everyshare venue list" names those that there are.`);
  const { id, linked, revoked_at } = row;
  if (revoked_at !== null) throw new DemoRefusal(`the venue ${id} is revoked: name another, or leave --venue out.`);
  if (!linked)
    throw new DemoRefusal(
      `the venue ${id} is not linked: "everyshare venue link ${id}" links it, or leave --venue out.`,
    );
  if (await hasCheckouts(db, id))
    throw new DemoRefusal(
      `the venue ${id} has checkouts: demo data goes only into a venue without any. Leave --venue out.`,
    );
  return venueInMode(row, mode);
}

async function feeOfVenue(db: Db, venueId: string): Promise<PastSettings['fee']> {
  const row = await findVenue(db, venueId);
  return { bps: row?.fee_bps ?? 0, fixed: row?.fee_fixed ?? 0 };
}

function callerAt(command: CommandContext, venue: Venue, mode: Mode, at: number): Caller {
  return { ...commandAt(command, at), venue, mode, key: null };
}
