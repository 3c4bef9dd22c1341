// After the storm: the books agree (ledger and processor), the logs tell of nothing that went wrong and of no secret, and the
// server still serves the checkout of the README.

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

const ROUNDS = 6;
const PAUSE_MS = 3_000;

/** What is only early (the worker is still at it) is gone by the next round; what stays is a difference. */
export async function checkBooks(service: RunningService, found: Found): Promise<void> {
  for (let round = 1; round <= ROUNDS; round++) {
    const differences = await reconcile(service, service.databaseUrl, found);
    if (differences === null || differences.length === 0) break;
    if (round < ROUNDS) await delay(PAUSE_MS);
    else for (const { what, subject } of differences) found('the books agree', subject, what);
  }
  await checkLedgerByCommand(service, service.databaseUrl, found);
}

export async function checkReadmeStory(context: AppContext, service: RunningService, found: Found): Promise<void> {
  const { keys } = await issueKeys(context);
  const sender = new Sender(service.base);
  const ask = makeSendOk(sender);
  try {
    await ask('GET', '/v1/me', keys.test);
    const made = await ask('POST', '/v1/checkouts', keys.test, {
      amount: 24_000,
      currency: 'usd',
      party_size: 6,
      pay_by: '2030-06-12T18:00:00Z',
      description: 'Cabana 3',
      return_url: 'https://example.com/thanks',
      external_booking_id: 'bk-1',
    });
    const done = await ask('POST', `/v1/test_helpers/checkouts/${made.id}/complete`, keys.test);
    if (done.status !== 'completed') found('the README’s checkout completes', made.id, `it is ${done.status}`);
  } catch (error) {
    found('the README’s checkout is served', service.base, error instanceof Error ? error.message : String(error));
  } finally {
    sender.close();
  }
}

export interface LogsRead {
  readonly lines: number;
  readonly requests: number;
  readonly secrets: number;
  /** How often each warning was given. */
  readonly warnings: Readonly<Record<string, number>>;
}

/** After so many, more of them would say nothing new. */
const MOST_LINES = 20;

/** Lines of level error and above, and lines that hold a secret of this run or whatever has the shape of one, are violations. */
export async function readLogs(service: RunningService, found: Found): Promise<LogsRead> {
  const secrets = readSecrets(service.secrets);
  const warnings: Record<string, number> = {};
  let [lines, requests, leaks, wrongs] = [0, 0, 0, 0];
  const folder = join(service.folder, 'logs');
  const postgres = await service.postgresLog();
  if (postgres !== null) copyFileSync(postgres, join(folder, 'postgres.log'));
  for (const name of readdirSync(folder)) {
    for await (const line of createInterface({ input: createReadStream(join(folder, name)), crlfDelay: Infinity })) {
      lines++;
      const leak = findIn(line, secrets);
      if (leak !== null && ++leaks <= MOST_LINES) {
        const [kind, text] = leak;
        found('logs give nothing away', name, `${kind}: ${line.replaceAll(text, `[${kind}]`).slice(0, 600)}`);
      }
      const response = lineOf(line);
      if (response?.msg === 'request') requests++;
      if (response?.level === 'warn') warnings[response.msg] = (warnings[response.msg] ?? 0) + 1;
      if ((response?.level === 'error' || response?.level === 'fatal') && ++wrongs <= MOST_LINES)
        found('nothing of ours went wrong', name, line.slice(0, 1_500));
    }
  }
  if (requests === 0) found('logs have a line for each request', folder, 'not one was read, so that nothing was shown');
  if (leaks > MOST_LINES) found('logs give nothing away', folder, `${leaks} lines in all`);
  return { lines, requests, secrets: secrets.size, warnings };
}

function lineOf(line: string): { readonly level: string; readonly msg: string } | null {
  if (!line.startsWith('{')) return null;
  try {
    const { level, msg } = JSON.parse(line) as { level?: unknown; msg?: unknown };
    return typeof level === 'string' ? { level, msg: String(msg) } : null;
  } catch {
    return null; // A line of its greeting, not of its log.
  }
}
