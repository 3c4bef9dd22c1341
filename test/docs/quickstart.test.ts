// The receiver of the quickstart: the program is read from the page and run. It accepts what the service has signed,
// and refuses everything else.

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { signatureHeaders } from '../../src/domain/webhooks/deliveries/signature.ts';
import { waitFor } from '../support/wait-for.ts';
import { readBlocks } from './read-blocks.ts';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=';
const BODY = JSON.stringify({ id: 'evt_1', object: 'event', type: 'checkout.completed' });

const folder = mkdtempSync(join(tmpdir(), 'everyshare-quickstart-'));
let receiver: ReturnType<typeof spawn>;
let port: number;
let printed = '';

/** A port that was free a moment ago. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

const post = (headers: Record<string, string>, body = BODY): Promise<number> =>
  fetch(`http://127.0.0.1:${port}`, { method: 'POST', headers, body }).then(({ status }) => status);

beforeAll(async () => {
  const file = join(folder, 'receiver.mjs');
  writeFileSync(file, readBlocks('docs/guides/quickstart.md').find(({ language }) => language === 'js')?.text ?? '');
  port = await freePort();
  receiver = spawn(process.execPath, [file], { env: { PORT: String(port), WEBHOOK_SECRET: SECRET } });
  receiver.stdout?.on('data', (chunk: Buffer) => {
    printed += chunk.toString();
  });
  await waitFor('the receiver answers', () =>
    post({}).then(
      (status) => status === 400,
      () => false,
    ),
  );
  printed = '';
});
afterAll(() => {
  receiver.kill();
  rmSync(folder, { recursive: true });
});

it('the receiver of the quickstart accepts a signed event, and refuses every other request', async () => {
  const signed = (secret: string, at = Date.now()): Record<string, string> =>
    signatureHeaders([secret], Buffer.from(BODY), at);
  expect(await post(signed(SECRET))).toBe(200);
  expect(await post(signed('whsec_other'))).toBe(400);
  expect(await post(signed(SECRET, Date.now() - 301_000))).toBe(400);
  expect(await post(signed(SECRET, Date.now() + 301_000))).toBe(400);
  expect(await post(signed(SECRET), BODY.replace('completed', 'canceled'))).toBe(400);
  expect(await post({ 'service-signature': 't=,v1=' })).toBe(400);
  expect(await post({ 'service-signature': 'nonsense' })).toBe(400);
  await waitFor('it has printed a line for each request', () => printed.trim().split('\n').length >= 7);
  expect(printed.match(/verified checkout\.completed/g)).toHaveLength(1);
});
