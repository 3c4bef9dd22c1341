// The checks after the requests: our records agree with the ledger and the processor, the logs contain no error and no
// secret, and the server still serves the README's checkout.

import { copyFileSync, createReadStream, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import type { AppContext } from '../../src/run/context.ts';
import { checkLedgerByCommand, reconcile } from '../chaos/settle.ts';
import { findIn, readSecrets } from '../logs/scan.ts';
import type { Found } from '../support/violation.ts';
import { makeSendOk } from './fixture.ts';
import { issueKeys } from './keys.ts';
import type { RunningService } from './processes.ts';
import { Sender } from './send.ts';

const MAX_RECONCILE_ROUNDS = 6;
const PAUSE_MS = 3_000;

/** A difference that the worker has not yet finished is gone by a later round; one that stays is a violation. */
export async function checkRecords(service: RunningService, found: Found): Promise<void> {
  for (let round = 1; round <= MAX_RECONCILE_ROUNDS; round++) {
    const differences = await reconcile(service, service.databaseUrl, found);
    if (differences === null || differences.length === 0) break;
    if (round < MAX_RECONCILE_ROUNDS) await delay(PAUSE_MS);
    else for (const { what, subject } of differences) found('our records agree with the processor', subject, what);
  }
  await checkLedgerByCommand(service, service.databaseUrl, found);
}

export async function checkReadmeCheckout(context: AppContext, service: RunningService, found: Found): Promise<void> {
  const { keys } = await issueKeys(context);
  const sender = new Sender(service.base);
  const sendOk = makeSendOk(sender);
  try {
    await sendOk('GET', '/v1/me', keys.test);
    const checkout = await sendOk('POST', '/v1/checkouts', keys.test, {
      amount: 24_000,
      currency: 'usd',
      party_size: 6,
      pay_by: '2030-06-12T18:00:00Z',
      description: 'Cabana 3',
      return_url: 'https://example.com/thanks',
      external_booking_id: 'bk-1',
    });
    const completed = await sendOk('POST', `/v1/test_helpers/checkouts/${checkout.id}/complete`, keys.test);
    if (completed.status !== 'completed')
      found('the README’s checkout completes', checkout.id, `it is ${completed.status}`);
  } catch (error) {
    found('the README’s checkout is served', service.base, error instanceof Error ? error.message : String(error));
  } finally {
    sender.close();
  }
}

export interface LogFigures {
  readonly lines: number;
  readonly requests: number;
  readonly secrets: number;
  /** Warnings and how often each was logged. */
  readonly warnings: Readonly<Record<string, number>>;
}

/** For each rule. */
const MAX_REPORTED_LINES = 20;

/**
 * Lines of level error and above, and lines with a secret of this run or with text in the shape of one, are violations.
 */
export async function checkLogs(service: RunningService, found: Found): Promise<LogFigures> {
  const secrets = readSecrets(service.secrets);
  const warnings: Record<string, number> = {};
  let [lines, requests, leaks, errors] = [0, 0, 0, 0];
  const folder = join(service.folder, 'logs');
  const postgres = await service.postgresLog();
  if (postgres !== null) copyFileSync(postgres, join(folder, 'postgres.log'));
  for (const name of readdirSync(folder)) {
    for await (const line of createInterface({ input: createReadStream(join(folder, name)), crlfDelay: Infinity })) {
      lines++;
      const leak = findIn(line, secrets);
      if (leak !== null && ++leaks <= MAX_REPORTED_LINES) {
        const [kind, text] = leak;
        found('logs contain no secrets', name, `${kind}: ${line.replaceAll(text, `[${kind}]`).slice(0, 600)}`);
      }
      const entry = parseLine(line);
      if (entry?.msg === 'request') requests++;
      if (entry?.level === 'warn') warnings[entry.msg] = (warnings[entry.msg] ?? 0) + 1;
      if ((entry?.level === 'error' || entry?.level === 'fatal') && ++errors <= MAX_REPORTED_LINES)
        found('logs contain no errors', name, line.slice(0, 1_500));
    }
  }
  if (requests === 0)
    found('logs have a line for each request', folder, 'no request line was read, so nothing was checked');
  if (leaks > MAX_REPORTED_LINES) found('logs contain no secrets', folder, `${leaks} lines in all`);
  return { lines, requests, secrets: secrets.size, warnings };
}

function parseLine(line: string): { readonly level: string; readonly msg: string } | null {
  if (!line.startsWith('{')) return null;
  try {
    const { level, msg } = JSON.parse(line) as { level?: unknown; msg?: unknown };
    return typeof level === 'string' ? { level, msg: String(msg) } : null;
  } catch {
    return null; // A start-up line, which is not a log line.
  }
}
