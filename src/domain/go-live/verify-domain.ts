// A venue shows that a domain is its own: by a TXT record, or by a code to a mail address there. A verified domain stays;
// it is never looked up again. Several venues may verify one domain, each with a token of its own: a group of venues has
// one site, and a venue must not be kept out by another that was there first.

import type { DomainCode, DomainCreate, DomainMail } from '../../../schemas/types.gen.ts';
import type { Queryable } from '../../base/db.ts';
import { conflict, invalid } from '../../base/errors.ts';
import type { Input, OperationResult } from '../../base/operation.ts';
import { hashOfEmail, sealNameOfChallenge, type TeamCaller } from '../accounts/account.ts';
import { CODE_SECONDS, checkCode, countCodeTo, requireMail, requireUnspent, sendCode } from '../accounts/challenges.ts';
import { requireHourlyUse } from '../keys/hourly-limit.ts';
import { areMailsDelayed } from '../mail/queries.ts';
import { audit } from '../venues/audit.ts';
import { lockVenue } from '../venues/queries.ts';
import { requireDomain, requireMailAtDomain } from './domain-name.ts';
import { linkWhenReady } from './link-when-ready.ts';
import { lookUpRecord } from './look-up-record.ts';
import { findGoLive, type GoLiveRow, recordCheck, setDomain, setDomainVerified } from './queries.ts';
import { type GoLiveServices, goLiveBody } from './show-go-live.ts';

const TOKEN_BYTES = 16;
const CHECKS_PER_HOUR = 60;
/** For one venue, and beyond two codes of each for all venues that name the address. */
const CODES_PER_EMAIL_PER_HOUR = 5;
/** A venue could name the domain of another, and have mails sent there. */
const CODES_PER_VENUE_PER_HOUR = 10;

type NamedDomain = GoLiveRow & { readonly domain: string; readonly token: string };

/** Naming the same domain again changes nothing: the record that was added for it still counts. */
export async function startDomainVerification(
  services: GoLiveServices,
  caller: TeamCaller,
  { body }: Input<DomainCreate>,
): Promise<OperationResult> {
  const domain = requireDomain(body.domain);
  const { id: venueId } = caller.venue;
  await services.db.transaction(async (tx) => {
    await lockVenue(tx, venueId);
    const before = await findGoLive(tx, venueId);
    if (before?.domain === domain) return;
    const token = services.random.bytes(TOKEN_BYTES).toString('hex');
    if (!(await setDomain(tx, venueId, { domain, token }))) throw domainVerified(before?.domain ?? '');
    await audit(tx, caller, { venueId, action: 'domain.name', subject: domain });
  });
  return answer(services, caller);
}

export async function checkDomain(services: GoLiveServices, caller: TeamCaller): Promise<OperationResult> {
  const { db, lookUpText } = services;
  const { id: venueId } = caller.venue;
  const { domain, token, verifiedAt } = await requireNamedDomain(db, venueId);
  if (verifiedAt !== null) return answer(services, caller);
  const rule = `The record of a venue is looked up at most ${CHECKS_PER_HOUR} times an hour.`;
  await requireHourlyUse(db, `domain check ${venueId}`, CHECKS_PER_HOUR, rule);
  const { result, found } = await lookUpRecord(lookUpText, domain, token);
  const now = services.clock.now();
  await db.transaction(async (tx) => {
    await lockVenue(tx, venueId);
    await recordCheck(tx, venueId, token, { result, found, now });
    if (result === 'found') await completeDomain(tx, services, caller, { domain, token, by: 'dns' });
  });
  return answer(services, caller);
}

export async function sendDomainCode(
  services: GoLiveServices,
  { venue, session }: TeamCaller,
  { body: { email } }: Input<DomainMail>,
): Promise<OperationResult> {
  requireMail(services);
  const { domain, verifiedAt } = await requireNamedDomain(services.db, venue.id);
  if (verifiedAt !== null) throw domainVerified(domain);
  requireMailAtDomain(email, domain);
  const challenge_id = await services.db.transaction(async (tx) => {
    const hash = hashOfEmail(services.seal, email).toString('hex');
    const byEmail = `A mail address gets at most ${CODES_PER_EMAIL_PER_HOUR} codes an hour for its domain.`;
    await requireHourlyUse(tx, `domain mail ${hash} of venue ${venue.id}`, CODES_PER_EMAIL_PER_HOUR, byEmail);
    const code = { caller: `venue ${venue.id}`, target: `domain mail ${hash}` };
    const isOwn = await countCodeTo(tx, code, CODES_PER_EMAIL_PER_HOUR, byEmail);
    const byVenue = `A venue sends at most ${CODES_PER_VENUE_PER_HOUR} codes an hour for its domain.`;
    await requireHourlyUse(tx, `domain mail of venue ${venue.id}`, CODES_PER_VENUE_PER_HOUR, byVenue);
    const what = { domain, venue: venue.name };
    return sendCode(tx, services, { purpose: 'domain', sessionId: session.id, email, isOwn, what });
  });
  const mail_delayed = await areMailsDelayed(services.db, services.clock.now());
  return { status: 200, body: { challenge_id, expires_in: CODE_SECONDS, mail_delayed } };
}

/** The code counts for the session that asked for it, and for a domain that is still the venue's. */
export async function verifyDomainCode(
  services: GoLiveServices,
  caller: TeamCaller,
  { body }: Input<DomainCode>,
): Promise<OperationResult> {
  const { venue, session, now } = caller;
  const challenge = await checkCode(services, { ...body, purpose: 'domain', sessionId: session.id }, now);
  const email = services.seal.open(challenge.email, sealNameOfChallenge(body.challenge_id.toLowerCase()));
  await services.db.transaction(async (tx) => {
    await lockVenue(tx, venue.id);
    const { domain, token, verifiedAt } = await requireNamedDomain(tx, venue.id);
    if (!email.toLowerCase().endsWith(`@${domain}`)) throw otherDomain(domain);
    await requireUnspent(tx, body.challenge_id, now);
    if (verifiedAt === null) await completeDomain(tx, services, caller, { domain, token, by: 'mail' });
  });
  return answer(services, caller);
}

async function completeDomain(
  tx: Queryable,
  { goLive }: GoLiveServices,
  caller: TeamCaller,
  { domain, token, by }: { readonly domain: string; readonly token: string; readonly by: 'dns' | 'mail' },
): Promise<void> {
  const { id: venueId } = caller.venue;
  if (!(await setDomainVerified(tx, venueId, token, { by, now: caller.now }))) return;
  await audit(tx, caller, { venueId, action: 'domain.verify', subject: domain, detail: { by } });
  await linkWhenReady(tx, caller, venueId, goLive);
}

async function answer(services: GoLiveServices, { venue }: TeamCaller): Promise<OperationResult> {
  return { status: 200, body: await goLiveBody(services.db, venue.id, services) };
}

async function requireNamedDomain(db: Queryable, venueId: string): Promise<NamedDomain> {
  const row = await findGoLive(db, venueId);
  if (row === null || row.domain === null || row.token === null)
    throw conflict(
      'domain_missing',
      'The venue has named no domain: send it to POST /console/api/go_live/domain first.',
    );
  return { ...row, domain: row.domain, token: row.token };
}

function domainVerified(domain: string) {
  return conflict('domain_verified', `${domain} is verified for this venue, and stays so.`);
}

function otherDomain(domain: string) {
  return invalid([
    {
      code: 'invalid_value',
      field: '/challenge_id',
      message: `The code went to another domain; the venue has named ${domain} since. Ask for a code there.`,
      expected: `a challenge of a mail address at ${domain}`,
      example_fix: '0197f2c4-6a10-7c3e-9b1d-5f2a8c4e7d10',
    },
  ]);
}
