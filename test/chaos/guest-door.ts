// A stand-in for the doors that guests will have: chooses a party and asks for a hold by the program's own commands, in a
// process of its own that is killed like the others. Times out, is retried, and must do everything once all the same.

import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import { systemClock } from '../../src/base/clock.ts';
import { isUnavailable, openDb } from '../../src/base/db.ts';
import { conflict, Problem } from '../../src/base/errors.ts';
import { makeIds } from '../../src/base/ids.ts';
import { makeLog } from '../../src/base/log.ts';
import { systemRandom } from '../../src/base/random.ts';
import { makeSeal } from '../../src/base/seal.ts';
import { decideParty, type Seat } from '../../src/domain/checkouts/decide-party.ts';
import { holdInTime } from '../../src/domain/checkouts/hold-in-time.ts';
import { decideUnderLock, type MoneyParts } from '../../src/domain/checkouts/money-parts.ts';
import { ProcessorTrouble } from '../../src/domain/payments/processor.ts';
import { makeStripeProcessor } from '../../src/domain/payments/stripe.ts';
import { sandboxKeys } from '../../src/main/processors.ts';

interface Wish {
  readonly venueId: string;
  readonly checkoutId: string;
  readonly shareId?: string;
  /** Of a party: what each pays, the organizer first. */
  readonly amounts?: readonly number[];
}

type Env = Readonly<Record<string, string | undefined>>;

export function runGuestDoor(env: Env): void {
  const { DATABASE_URL = '', ENCRYPTION_KEY = '', SANDBOX_PROCESSOR_URL = '', DATABASE_POOLER = '', PORT = '0' } = env;
  const sealKey = Buffer.from(ENCRYPTION_KEY, 'base64');
  const at = new URL(SANDBOX_PROCESSOR_URL);
  const { secret: secretKey, publishable: publishableKey } = sandboxKeys(sealKey, 'test');
  const address = { protocol: 'http', host: at.hostname, port: Number(at.port) } as const;
  const log = makeLog('warn', 'guest-door');
  const parts: MoneyParts = {
    db: openDb({
      url: DATABASE_URL,
      connections: 8,
      pooled: DATABASE_POOLER === 'transaction',
      applicationName: 'everyshare-guests',
    }),
    clock: systemClock,
    ids: makeIds(systemClock, systemRandom),
    seal: makeSeal(sealKey, systemRandom),
    log,
    processors: { test: makeStripeProcessor({ mode: 'test', secretKey, publishableKey, address }) },
    payoutDelay: 0,
  };
  const server = createServer((request, response) => {
    const reply = (status: number, body: unknown): void => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body));
    };
    serve(parts, request).then(
      (body) => reply(200, body),
      (error: unknown) => {
        const told = problemOf(error);
        if (told.status === 500) log.error({ err: error }, 'the guest door failed');
        reply(told.status, { error: { code: told.code, reason: told.detail.reason ?? null } });
      },
    );
  });
  server.listen(Number(PORT), '127.0.0.1', () => process.stdout.write('the guest door is open\n'));
  process.on('SIGTERM', () => process.exit(0));
}

function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  const passing = isUnavailable(error) || error instanceof ProcessorTrouble;
  return new Problem(passing ? 'service_unavailable' : 'internal_error', { cause: error });
}

async function serve(parts: MoneyParts, request: IncomingMessage): Promise<unknown> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  const wish = JSON.parse(text) as Wish;
  if (request.url === '/party') return chooseParty(parts, wish);
  return holdInTime(parts, wish.venueId, wish.checkoutId, wish.shareId ?? '');
}

/** The same wish again is the same party: its people are named after the checkout. */
async function chooseParty(parts: MoneyParts, { venueId, checkoutId, amounts = [] }: Wish): Promise<unknown> {
  const seats = amounts.map(
    (amount, place): Seat => ({ memberId: memberOf(checkoutId, place), displayName: `Guest ${place}`, amount }),
  );
  const refusal = await decideUnderLock(parts, venueId, checkoutId, (standing, now) => {
    const decided = decideParty(standing, seats, now, () => parts.ids.prefixed('shr'));
    return 'refusal' in decided ? { steps: [], answer: decided.refusal } : { steps: decided.steps, answer: 'chosen' };
  });
  if (refusal === null) throw new Problem('not_found');
  if (refusal !== 'chosen') throw conflict(refusal, 'This checkout takes no party.');
  return {};
}

function memberOf(checkoutId: string, place: number): string {
  const hex = createHash('sha256').update(`${checkoutId} ${place}`).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-7${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
