// What a person reads when the server is ready: the addresses and, the first time, a sandbox venue with its keys.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openSandboxVenueOnce, type VenueWithKeys } from '../domain/keys/sandbox-venue.ts';
import type { Act } from '../domain/venues/audit.ts';
import type { House } from '../run/house.ts';

export interface Announcement {
  readonly house: House;
  readonly act: Act;
  readonly urls: { readonly base: string; readonly schemas: string };
  readonly newOperatorToken: string | null;
  /** Whether a fresh installation gets a sandbox venue. */
  readonly firstVenue: boolean;
  readonly say: (line: string) => void;
}

export async function announce({ house, act, urls, newOperatorToken, firstVenue, say }: Announcement): Promise<void> {
  const opened = firstVenue ? await house.db.transaction((tx) => openSandboxVenueOnce(tx, act)) : null;
  if (opened !== null) {
    say('A sandbox venue is ready. Its keys are shown this once:');
    say('');
    say(`  secret key       ${opened.secretTest}`);
    say(`  publishable key  ${opened.publishableTest}`);
    say(`  kept for your shell in ${keepForShell(house, opened)}`);
    say('');
  }
  if (newOperatorToken !== null) {
    say(`  operator token   ${newOperatorToken}`);
    say('');
  }
  if (house.config.sandboxProcessor) say('Sandbox: no real money moves here.');
  say(`everyshare is ready at ${urls.base}`);
  say(`  reference  ${urls.base}/docs`);
  say(`  schemas    ${urls.schemas}/v1/index.json`);
  say(`  health     ${urls.base}/readyz`);
}

/** A test key is no secret that could cost anybody anything; still, only its owner can read the file. */
function keepForShell(house: House, opened: VenueWithKeys): string {
  const file = join(house.config.dataDir, 'sandbox-key');
  writeFileSync(file, `${opened.secretTest}\n`, { mode: 0o600 });
  return file;
}
