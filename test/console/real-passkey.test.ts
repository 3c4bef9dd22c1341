// A passkey of a real browser, by its virtual authenticator and the package that the console's page uses: what Chromium and
// the package send is what the API takes.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ConsoleBrowser, executable } from './console-browser.ts';

// Drives a browser.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const library = readFileSync(
  fileURLToPath(new URL('../../node_modules/@simplewebauthn/browser/dist/bundle/index.umd.min.js', import.meta.url)),
  'utf8',
);

/** In the page: makes the calls of the API, and asks the authenticator between them. */
const IN_PAGE = `
  const post = async (path, body) => {
    const response = await fetch('/console/api' + path, {
      method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body ?? {}) });
    return { status: response.status, json: await response.json() };
  };
  const answer = async (path) => {
    const { json } = await post(path);
    const credential = await SimpleWebAuthnBrowser.startAuthentication({ optionsJSON: json.public_key });
    return post(path + '/verify', { credential });
  };`;

describe.runIf(executable !== null)('a passkey of a browser', () => {
  let console_: ConsoleBrowser;
  beforeAll(async () => {
    console_ = await ConsoleBrowser.open();
  });
  afterAll(() => console_.close());

  it('is added at localhost, confirms a change, and signs in without a mail address', async () => {
    const { world, base } = console_;
    const { port } = new URL(base);
    const origin = `http://localhost:${port}`;
    const venueId = (await world.venue({ name: 'Harbor Club' })).venue.id;
    const { page, context } = await console_.signedIn(venueId);
    const [cookie] = await context.cookies(base);
    await context.addCookies([{ name: 'everyshare_console', value: cookie?.value ?? '', url: origin }]);
    const devtools = await context.newCDPSession(page);
    await devtools.send('WebAuthn.enable');
    await devtools.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
    await page.goto(`${origin}/console`);
    await page.evaluate(library);
    const added = await page.evaluate(`(async () => { ${IN_PAGE}
      const { json } = await post('/passkeys/options');
      const credential = await SimpleWebAuthnBrowser.startRegistration({ optionsJSON: json.public_key });
      return post('/passkeys', { credential, name: 'Virtual' });
    })()`);
    expect(added).toMatchObject({ status: 201, json: { name: 'Virtual' } });
    const again = `(async () => { ${IN_PAGE}
      const { json } = await post('/passkeys/options');
      return SimpleWebAuthnBrowser.startRegistration({ optionsJSON: json.public_key }).then(() => 'added', ({ name }) => name);
    })()`;
    expect(await page.evaluate(again), 'the authenticator has one already').toBe('InvalidStateError');
    const steppedUp = await page.evaluate(`(async () => { ${IN_PAGE} return answer('/step_up/passkey'); })()`);
    expect(steppedUp).toMatchObject({ status: 200, json: { stepped_up_until: expect.any(String) } });
    await context.clearCookies();
    const signedIn = await page.evaluate(`(async () => { ${IN_PAGE} return answer('/sign_in/passkey'); })()`);
    expect(signedIn).toMatchObject({ status: 200, json: { venues: [{ id: venueId, role: 'owner' }] } });
    expect((await context.cookies(origin)).map(({ name }) => name).sort()).toEqual([
      'everyshare_console',
      'everyshare_device',
    ]);
  });
});
