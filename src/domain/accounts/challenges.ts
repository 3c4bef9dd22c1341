// Codes by mail: six digits, valid for ten minutes and five tries. A code that was asked for keeps working for its own time
// and tries when another caller asks for more of them.

import { timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import type { Db, Queryable } from '../../base/db.ts';
import { type FieldProblem, invalid, Problem } from '../../base/errors.ts';
import { type Ids, isUuid } from '../../base/ids.ts';
import { type Random, randomDigits } from '../../base/random.ts';
import type { Seal } from '../../base/seal.ts';
import { requireHourlyUse } from '../keys/hourly-limit.ts';
import { countSharedCalls } from '../keys/queries.ts';
import { queueMail } from '../mail/mail.ts';
import { hashOfEmail, sealNameOfChallenge } from './account.ts';
import { type CodeUse, codeMail } from './mails.ts';
import { insertChallenge, MAX_CODE_TRIES, spendChallenge, type TriedChallenge, tryChallenge } from './queries.ts';

export interface AccountServices {
  readonly db: Db;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly seal: Seal;
  readonly random: Random;
  /** False: this installation sends no mail. */
  readonly hasMail: boolean;
  /** The address of the console. */
  readonly consoleUrl: () => string;
}

export const CODE_SECONDS = 600;
const CODE_DIGITS = 6;

type NewCode = CodeUse & {
  readonly sessionId: string | null;
  readonly email: string;
  /** The limit of the day does not count: the caller has a limit of their own. */
  readonly isOwn: boolean;
};

export function requireMail({ hasMail }: AccountServices): void {
  if (hasMail) return;
  throw new Problem('service_unavailable', {
    message: 'This installation sends no mail, so that no code can be sent: the operator has to set MAIL_URL.',
    headers: { 'retry-after': '3600' },
  });
}

const OWN_CODES_PER_HOUR = 2;

/**
 * Counts a code to an address that the caller has only named, and that others can name too. Each caller has two codes an
 * hour of its own there, so that others cannot lock it out; further ones share `limit`, so that an address is not flooded.
 * Returns whether it is one of its own. Throws 429 over the limit.
 */
export async function countCodeTo(
  tx: Queryable,
  { caller, target }: { readonly caller: string; readonly target: string },
  limit: number,
  rule: string,
): Promise<boolean> {
  const [own] = await countSharedCalls(tx, OWN_CODES_PER_HOUR, [{ subject: `${target} by ${caller}`, calls: 1 }]);
  if (own?.granted === 1) return true;
  await requireHourlyUse(tx, target, limit, rule);
  return false;
}

/** Returns the id of the challenge. The mail is queued in the same transaction. */
export async function sendCode(tx: Queryable, services: AccountServices, code: NewCode): Promise<string> {
  const { clock, ids, random, seal } = services;
  const { purpose, sessionId, email } = code;
  const id = ids.uuid();
  const now = clock.now();
  const digits = randomDigits(random, CODE_DIGITS);
  await insertChallenge(tx, {
    id,
    purpose,
    sessionId,
    email: seal.seal(email, sealNameOfChallenge(id)),
    emailHash: hashOfEmail(seal, email),
    codeHash: hashOfCode(seal, id, digits),
    expiresAt: now + CODE_SECONDS * 1_000,
    now,
  });
  const isQueued = await queueMail(tx, services, 'code', id, codeMail(email, digits, code), {
    isLimited: !code.isOwn,
  });
  if (isQueued) return id;
  throw new Problem('rate_limited', {
    message: 'This mail address has got too many codes today. One that was sent in the last ten minutes still works.',
    headers: { 'retry-after': '3600' },
  });
}

interface Answer {
  readonly purpose: CodeUse['purpose'];
  readonly sessionId: string | null;
  readonly challenge_id: string;
  readonly code: string;
}

/** Compares the code and counts the try. The caller spends the challenge in the transaction of what the code is for. */
export async function checkCode(
  { db, seal }: Pick<AccountServices, 'db' | 'seal'>,
  { purpose, sessionId, challenge_id: id, code }: Answer,
  now: number,
): Promise<TriedChallenge> {
  const challenge = isUuid(id) ? await tryChallenge(db, { id, purpose, sessionId }, now) : null;
  if (challenge === null) throw invalid([challengeSpent()]);
  const isCorrect = timingSafeEqual(challenge.codeHash, hashOfCode(seal, id.toLowerCase(), code));
  if (!isCorrect) throw invalid([wrongCode(MAX_CODE_TRIES - challenge.tries)]);
  return challenge;
}

/** Throws if a concurrent request has used the code already. */
export async function requireUnspent(tx: Queryable, challengeId: string, now: number): Promise<void> {
  if (!(await spendChallenge(tx, challengeId, now))) throw invalid([challengeSpent()]);
}

export function hashOfCode(seal: Seal, challengeId: string, code: string): Buffer {
  return seal.fingerprint(`${challengeId} ${code}`, 'account code');
}

function wrongCode(left: number): FieldProblem {
  const rest =
    left === 0 ? 'No try is left: ask for a new code.' : `${left} ${left === 1 ? 'try is' : 'tries are'} left.`;
  return {
    code: 'invalid_value',
    field: '/code',
    message: `This is not the code that was sent. ${rest}`,
    expected: 'the six digits of the mail',
    example_fix: '000000',
  };
}

function challengeSpent(): FieldProblem {
  return {
    code: 'invalid_value',
    field: '/challenge_id',
    message: 'This code was used, is too old, or was tried too often. Ask for a new one.',
    expected: 'a challenge that still waits for its code',
    example_fix: '0197f2c4-6a10-7c3e-9b1d-5f2a8c4e7d10',
  };
}
