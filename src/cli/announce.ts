// The lines that `start` and `serve` print when they are ready: the addresses and, on the first start, a sandbox venue
// with its keys and a link that opens the console as its owner.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CommandContext } from '../base/command-context.ts';
import { consoleLinkUrl, createConsoleLink, FIRST_OWNER } from '../domain/accounts/console-link.ts';
import { createSandboxVenueOnce, type VenueWithKeys } from '../domain/keys/sandbox-venue.ts';
import type { AppContext } from '../run/context.ts';

export interface Announcement {
  readonly context: AppContext;
  readonly urls: { readonly base: string; readonly schemas: string };
  /** Null: the metrics are at the base address. */
  readonly metricsPort: number | null;
  /** Null: the worker of this process has no address. */
  readonly workerPort: number | null;
  readonly newOperatorToken: string | null;
  /** Null: this installation had venues already. */
  readonly firstVenue: VenueWithKeys | null;
  /** Null: none is printed. */
  readonly firstLink: string | null;
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

/**
 * A link that opens the console as the owner of the first venue, once, within 15 minutes. With a real card processor there is
 * none: a terminal's output may be stored, and the operator can ask for one with `everyshare console link`.
 */
export async function createFirstLink(
  context: AppContext,
  command: CommandContext,
  firstVenue: VenueWithKeys | null,
): Promise<string | null> {
  if (firstVenue === null || !context.config.sandboxProcessor) return null;
  const owner = { email: FIRST_OWNER, venueId: firstVenue.venue.id };
  const link = await context.db.transaction((tx) => createConsoleLink(tx, command, owner));
  return consoleLinkUrl(context.services.consoleUrl(), link);
}

export function announce(announcement: Announcement): void {
  const { context, urls, metricsPort, workerPort, newOperatorToken, firstVenue, firstLink, printLine } = announcement;
  if (firstVenue !== null) {
    printLine('A sandbox venue is ready. Its keys are shown this once:');
    printLine('');
    printLine(`  secret key       ${firstVenue.secretTest}`);
    printLine(`  publishable key  ${firstVenue.publishableTest}`);
    printLine(`  venue id         ${firstVenue.venue.id}`);
    printLine(`  stored for your shell in ${keyFile(context)}`);
    printLine('');
  }
  if (firstLink !== null) {
    printLine('Open the console as its owner. This link works once, for 15 minutes:');
    printLine('');
    printLine(`  ${firstLink}`);
    printLine('');
  }
  if (newOperatorToken !== null) {
    printLine(`  operator token   ${newOperatorToken}`);
    printLine('');
  }
  if (context.config.sandboxProcessor) printLine('Sandbox: no real money moves here.');
  printLine(`everyshare is ready at ${urls.base}`);
  printLine(`  console    ${context.services.consoleUrl()}`);
  printLine(`  docs       ${urls.base}/docs`);
  printLine(`  schemas    ${urls.schemas}/v1/index.json`);
  if (context.config.sandboxProcessor) printLine(`  cards      ${urls.base}/sandbox/cards`);
  if (context.config.sandboxSms) printLine(`  texts      ${urls.base}/sandbox/outbox`);
  printLine(`  health     ${urls.base}/readyz`);
  if (metricsPort !== null)
    printLine(`  metrics    port ${metricsPort} of ${context.config.metricsHost}, path /metrics`);
  if (workerPort !== null)
    printLine(`  worker     port ${workerPort} of ${context.config.workerHost}, paths /healthz, /readyz, /metrics`);
}
