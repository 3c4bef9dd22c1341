// Sign-in by phone: a six-digit code by text message, valid for ten minutes and five tries. The response does not
// reveal whether the phone is known. Limits: 5 codes an hour and 10 a day for a phone, 30 an hour for an address. They
// are limits on asking: a challenge that was begun before works for its own time and tries, so that another caller who
// uses up the codes of a phone does not end the sign-in of its owner.

import { timingSafeEqual } from 'node:crypto';
import { isReserved, type PhoneSettings } from '../../../schemas/rules/phone.ts';
import type { SignIn, SignInVerify } from '../../../schemas/types.gen.ts';
import type { Clock } from '../../base/clock.ts';
import type { Db, Queryable } from '../../base/db.ts';
import { type FieldProblem, invalid } from '../../base/errors.ts';
import { type Ids, isUuid } from '../../base/ids.ts';
import { networkOf } from '../../base/network.ts';
import { normalizeName } from '../../base/plain-name.ts';
import { type Random, randomDigits } from '../../base/random.ts';
import type { Seal } from '../../base/seal.ts';
import { type Language, translatorFor } from '../../base/translations.ts';
import { requireDailyUses } from '../keys/daily-limit.ts';
import { requireHourlyUse } from '../keys/hourly-limit.ts';
import { queueMessage } from './messages/queue.ts';
import { requireRoomForCode } from './messages/text-limit.ts';
import { openPhone, sealPhone } from './phone.ts';
import { insertChallenge, insertMember, type MemberRow, spendChallenge, tryChallenge } from './queries.ts';

export interface SignInServices {
  readonly db: Db;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly seal: Seal;
  readonly random: Random;
  /** Which phones get texts. In the sandbox, reserved numbers get the code 000000. */
  readonly phones: PhoneSettings;
  /** The limit of the installation on texts of all kinds. */
  readonly textsPerHour: number;
  /** The host that the message names, so that a phone can fill in the code automatically. */
  readonly host: () => string;
}

const CODE_SECONDS = 600;
const CODES_PER_PHONE_PER_HOUR = 5;
const CODES_PER_PHONE_PER_DAY = 10;
const CODES_PER_ADDRESS_PER_HOUR = 30;
const CODE_DIGITS = 6;
const STILL_WORKS = 'one that was sent in the last ten minutes still works.';

export async function beginSignIn(
  services: SignInServices,
  body: SignIn,
  address: string,
  language: Language | null = null,
): Promise<{ readonly challenge_id: string; readonly expires_in: number }> {
  await requireRoomForCode(services.db, services.textsPerHour);
  const sealed = sealPhone(services.seal, body.phone);
  const now = services.clock.now();
  const id = services.ids.uuid();
  const isTestPhone = services.phones.isSandbox && isReserved(body.phone);
  const code = isTestPhone ? '0'.repeat(CODE_DIGITS) : randomDigits(services.random, CODE_DIGITS);
  await services.db.transaction(async (tx) => {
    await countCodeRequest(tx, address, sealed.phoneHash.toString('hex'));
    const codeHash = hashOfCode(services.seal, id, code);
    await insertChallenge(tx, { id, ...sealed, codeHash, expiresAt: now + CODE_SECONDS * 1_000, now });
    await queueMessage(tx, services, {
      memberId: null,
      ...sealed,
      kind: 'code',
      subject: id,
      text: codeText(services, code, language),
      dueAt: now,
      sendBefore: now + CODE_SECONDS * 1_000,
    });
  });
  return { challenge_id: id, expires_in: CODE_SECONDS };
}

/** The last line lets a phone fill in the code automatically, on this host only. */
function codeText(services: SignInServices, code: string, language: Language | null): string {
  const sentence = translatorFor(language).translate('text.code', { code, minutes: CODE_SECONDS / 60 });
  return `${sentence}\n\n@${services.host()} #${code}`;
}

/** Throws 429 over a limit; the transaction then counts nothing. */
async function countCodeRequest(tx: Queryable, address: string, phone: string): Promise<void> {
  const byAddress = `At most ${CODES_PER_ADDRESS_PER_HOUR} codes an hour can be asked for from one address.`;
  await requireHourlyUse(tx, `sign-in address ${networkOf(address)}`, CODES_PER_ADDRESS_PER_HOUR, byAddress);
  const byPhone = `A phone gets at most ${CODES_PER_PHONE_PER_HOUR} codes an hour; ${STILL_WORKS}`;
  await requireHourlyUse(tx, `sign-in phone ${phone}`, CODES_PER_PHONE_PER_HOUR, byPhone);
  const byDay = `A phone gets at most ${CODES_PER_PHONE_PER_DAY} codes a day; ${STILL_WORKS}`;
  await requireDailyUses(tx, { subject: `codes ${phone}`, limit: CODES_PER_PHONE_PER_DAY }, 1, byDay);
}

/** Returns the member who signed in. A code can be tried five times and works once. */
export async function finishSignIn(
  services: SignInServices,
  body: SignInVerify,
  language: Language | null = null,
): Promise<MemberRow> {
  const now = services.clock.now();
  const challenge = isUuid(body.challenge_id) ? await tryChallenge(services.db, body.challenge_id, now) : null;
  if (challenge === null) throw invalid([challengeSpent()]);
  const isCorrect = timingSafeEqual(challenge.codeHash, hashOfCode(services.seal, body.challenge_id, body.code));
  if (!isCorrect) throw invalid([wrongCode()]);
  return services.db.transaction(async (tx) => {
    if (!(await spendChallenge(tx, body.challenge_id, now))) throw invalid([challengeSpent()]);
    const { phoneHash } = challenge;
    const phone = openPhone(services.seal, challenge);
    return insertMember(tx, {
      id: services.ids.uuid(),
      displayName: body.name === undefined ? null : normalizeName(body.name),
      phone: sealPhone(services.seal, phone).phone,
      phoneHash,
      language,
      now,
    });
  });
}

function hashOfCode(seal: Seal, challengeId: string, code: string): Buffer {
  return seal.fingerprint(`${challengeId} ${code}`, 'sign-in code');
}

function wrongCode(): FieldProblem {
  return {
    code: 'invalid_value',
    field: '/code',
    message: 'This is not the code that was sent. Look at the message again, or ask for a new code.',
    expected: 'the six digits of the text message',
    example_fix: '000000',
  };
}

function challengeSpent(): FieldProblem {
  return {
    code: 'invalid_value',
    field: '/challenge_id',
    message: 'This code was used, is too old, or was tried too often. Ask for a new one.',
    expected: 'a sign-in that still waits for its code',
    example_fix: '0197f2c4-6a10-7c3e-9b1d-5f2a8c4e7d10',
  };
}
