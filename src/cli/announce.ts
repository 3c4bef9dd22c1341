// What a person reads when the server is ready: the addresses and, the first time, a sandbox venue with its keys.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CommandContext } from '../base/command-context.ts';
import { createSandboxVenueOnce, type VenueWithKeys } from '../domain/keys/sandbox-venue.ts';
import type { AppContext } from '../run/context.ts';

export interface Announcement {
  readonly context: AppContext;
  readonly urls: { readonly base: string; readonly schemas: string };
  readonly newOperatorToken: string | null;
  /** Null: this installation had venues already. */
  readonly firstVenue: VenueWithKeys | null;
  readonly say: (line: string) => void;
}

const keyFile = (context: AppContext): string => join(context.config.dataDir, 'sandbox-key');

/**
 * A fresh installation begins with a sandbox venue. Its test key is kept in a file for the operator's shell (it can cost
 * nobody anything), written before the venue is committed: a crash between the two leaves nothing that is lost for good.
 */
export async function openFirstVenue(context: AppContext, command: CommandContext): Promise<VenueWithKeys | null> {
  return context.db.transaction(async (tx) => {
    const opened = await createSandboxVenueOnce(tx, command);
    if (opened !== null) writeFileSync(keyFile(context), `${opened.secretTest}\n`, { mode: 0o600, flush: true });
    return opened;
  });
}

export function announce({ context, urls, newOperatorToken, firstVenue, say }: Announcement): void {
  if (firstVenue !== null) {
    say('A sandbox venue is ready. Its keys are shown this once:');
    say('');
    say(`  secret key       ${firstVenue.secretTest}`);
    say(`  publishable key  ${firstVenue.publishableTest}`);
    say(`  venue id         ${firstVenue.venue.id}`);
    say(`  kept for your shell in ${keyFile(context)}`);
    say('');
  }
  if (newOperatorToken !== null) {
    say(`  operator token   ${newOperatorToken}`);
    say('');
  }
  if (context.config.sandboxProcessor) say('Sandbox: no real money moves here.');
  say(`everyshare is ready at ${urls.base}`);
  say(`  reference  ${urls.base}/docs`);
  say(`  schemas    ${urls.schemas}/v1/index.json`);
  if (context.config.sandboxProcessor) say(`  cards      ${urls.base}/sandbox/cards`);
  if (context.config.sandboxTexts) say(`  texts      ${urls.base}/sandbox/outbox`);
  say(`  health     ${urls.base}/readyz`);
}
