// The TypeScript examples of the SDK's README as one program, with the two functions that they leave to the reader.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../src/base/package-root.ts';

const READERS_OWN = `
async function completedCheckout(): Promise<string> {
  const { id } = await everyshare.checkouts.create({
    ...{ amount: 24000, currency: 'usd', party_size: 2, pay_by: new Date(Date.now() + 3_600_000).toISOString() },
    ...{ description: 'Cabana 4', return_url: 'https://example.com/thanks', external_booking_id: 'bk-8843' },
  });
  return (await everyshare.testHelpers.checkouts.complete(id)).id;
}
async function makeSomethingHappen(): Promise<void> {
  await everyshare.checkouts.create({
    ...{ amount: 24000, currency: 'usd', party_size: 2, pay_by: new Date(Date.now() + 3_600_000).toISOString() },
    ...{ description: 'Cabana 5', return_url: 'https://example.com/thanks', external_booking_id: 'bk-8844' },
  });
}
`;

export function readmeProgram(): string {
  const text = readFileSync(join(packageRoot, 'sdk/README.md'), 'utf8');
  const blocks = [...text.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block);
  if (blocks.length < 8) throw new Error('the README has fewer examples than it had');
  return [...blocks, READERS_OWN].join('\n');
}
