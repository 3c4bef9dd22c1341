// The lines that `start` and `serve` print when they are ready: the addresses and, on the first start, a sandbox venue
// with its keys.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CommandContext } from '../base/command-context.ts';
import { createSandboxVenueOnce, type VenueWithKeys } from '../domain/keys/sandbox-venue.ts';
import type { AppContext } from '../run/context.ts';

export interface Announcement {
  readonly context: AppContext;
  readonly urls: { readonly base: string; readonly schemas: string };
  /** Null: the metrics are at the base address. */
  readonly metricsPort: number | null;
  readonly newOperatorToken: string | null;
  /** Null: this installation had venues already. */
  readonly firstVenue: VenueWithKeys | null;
  readonly printLine: (line: string) => void;
}

const keyFile = (context: AppContext): string => join(context.config.dataDir, 'sandbox-key');
const venueFile = (context: AppContext): string => join(context.config.dataDir, 'sandbox-venue.json');

/**
 * Creates a sandbox venue in a new installation and stores its test key in a file for the operator's shell, and all of it in
 * another for programs on this machine, such as examples/booking-site (a test key moves no real money). The files are written
 * before the commit: after a crash in between, the next start does it all again.
 */
export async function createFirstVenue(context: AppContext, command: CommandContext): Promise<VenueWithKeys | null> {
  return context.db.transaction(async (tx) => {
    const created = await createSandboxVenueOnce(tx, command);
    if (created === null) return null;
    const { venue, secretTest, publishableTest } = created;
    const stored = { id: venue.id, secret_key: secretTest, publishable_key: publishableTest };
    writeFileSync(venueFile(context), `${JSON.stringify(stored, null, 2)}\n`, { mode: 0o600, flush: true });
    writeFileSync(keyFile(context), `${secretTest}\n`, { mode: 0o600, flush: true });
    return created;
  });
}

export function announce({ context, urls, metricsPort, newOperatorToken, firstVenue, printLine }: Announcement): void {
  if (firstVenue !== null) {
    printLine('A sandbox venue is ready. Its keys are shown this once:');
    printLine('');
    printLine(`  secret key       ${firstVenue.secretTest}`);
    printLine(`  publishable key  ${firstVenue.publishableTest}`);
    printLine(`  venue id         ${firstVenue.venue.id}`);
    printLine(`  stored for your shell in ${keyFile(context)}`);
    printLine('');
  }
  if (newOperatorToken !== null) {
    printLine(`  operator token   ${newOperatorToken}`);
    printLine('');
  }
  if (context.config.sandboxProcessor) printLine('Sandbox: no real money moves here.');
  printLine(`everyshare is ready at ${urls.base}`);
  printLine(`  docs       ${urls.base}/docs`);
  printLine(`  schemas    ${urls.schemas}/v1/index.json`);
  if (context.config.sandboxProcessor) printLine(`  cards      ${urls.base}/sandbox/cards`);
  if (context.config.sandboxSms) printLine(`  texts      ${urls.base}/sandbox/outbox`);
  printLine(`  health     ${urls.base}/readyz`);
  if (metricsPort !== null)
    printLine(`  metrics    port ${metricsPort} of ${context.config.metricsHost}, path /metrics`);
}
