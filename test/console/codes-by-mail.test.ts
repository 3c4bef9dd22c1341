// Every form for a mailed code says when the mail server is down, and asks for another code or at another address.

import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { SMTPServer } from 'smtp-server';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type MailSender, sendDueMails } from '../../src/domain/mail/send.ts';
import { makeSmtpSender } from '../../src/domain/mail/smtp.ts';
import { mailedCode } from '../support/console-client.ts';
import { ConsoleBrowser, executable, look, screenUrl } from './console-browser.ts';

// Drives a browser.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

const DELAYED = /The mail is delayed/;
const FAILED = /The mail could not be sent/;

describe.runIf(executable !== null)('a form for a mailed code', () => {
  let console_: ConsoleBrowser;
  let venueId: string;
  let mailSender: MailSender;
  beforeAll(async () => {
    const url = await urlOfStoppedServer();
    const from = 'Everyshare <no-reply@example.com>';
    mailSender = makeSmtpSender({ url, from });
    console_ = await ConsoleBrowser.open({ env: { MAIL_URL: url, MAIL_FROM: from } });
    venueId = (await console_.world.venue({ sandbox: true, name: 'Cove & Pine', origins: [] })).venue.id;
  });
  afterAll(() => console_.close());

  async function urlOfStoppedServer(): Promise<string> {
    const server = new SMTPServer();
    server.listen(0, '127.0.0.1');
    await once(server.server, 'listening');
    const { port } = server.server.address() as AddressInfo;
    await new Promise<void>((resolve) => server.close(resolve));
    return `smtp://127.0.0.1:${port}`;
  }

  /** As the worker does, for longer than a mail server needs. */
  async function sendInVain(): Promise<void> {
    await sendDueMails({ ...console_.world.context.services, mailSender }, 20);
    await console_.world.db.query(
      `update mails set created_at = created_at - interval '11 seconds' where status = 'waiting'`,
    );
  }

  const refuseMails = () =>
    console_.world.db.query(`update mails set status = 'failed', due_at = null where status = 'waiting'`);

  /** The form is open and the mail on its way: first it is delayed, then refused for good. */
  async function saysBoth(page: Page, name: string): Promise<void> {
    await sendInVain();
    await page.getByText(DELAYED).waitFor();
    await refuseMails();
    await page.getByText(FAILED).waitFor();
    expect(await page.getByText(DELAYED).count(), name).toBe(0);
  }

  it('of the sign-in says that the mail is delayed, and that it could not be sent', async () => {
    const visitor = await console_.visit();
    const { page } = visitor;
    await page.goto('/console');
    await page.getByLabel('Work mail').fill('robin@covepine.example');
    await page.keyboard.press('Enter');
    await page.getByLabel('Code').waitFor();
    await sendInVain();
    await page.getByText(DELAYED).waitFor();
    await look(visitor, 'sign-in-delayed');
    await refuseMails();
    await page.getByText(FAILED).waitFor();
  });

  it('of a step-up, and then of another mail address, says it too', async () => {
    const { page } = await console_.signedIn(venueId);
    await console_.world.db.query(`update account_sessions set created_at = now() - interval '601 seconds'`);
    await page.goto('/console/account');
    await page.getByLabel('Another mail address').fill('sam@covepine.example');
    const answered = page.waitForResponse('**/console/api/step_up');
    await page.getByRole('button', { name: 'Change the mail address' }).click();
    const { challenge_id } = (await (await answered).json()) as { challenge_id: string };
    await page.getByText('Confirm that it is you').waitFor();
    await saysBoth(page, 'step-up');
    await page
      .locator('dialog')
      .getByLabel('Code')
      .fill(await mailedCode(console_.world, challenge_id));
    await page.getByLabel('Code that we sent to sam@covepine.example').waitFor();
    await saysBoth(page, 'mail change');
  });

  it('of the work mail says it too, takes another address after a typo, and sends the code again', async () => {
    const visitor = await console_.signedIn(venueId);
    const { page } = visitor;
    await page.clock.install();
    await page.goto(screenUrl(venueId, '/go-live'));
    await page.getByLabel('Domain', { exact: true }).fill('covepine.example');
    await page.getByRole('button', { name: 'Go on' }).click();
    await page.getByRole('button', { name: 'Work mail' }).click();
    await page.getByLabel('Your mail address at covepine.example').fill('robbin@covepine.example');
    await page.getByRole('button', { name: 'Send me a code' }).click();
    await page.getByLabel('Code that we sent to robbin@covepine.example').waitFor();
    await page.getByRole('button', { name: 'Use another address' }).click();
    await page.getByLabel('Your mail address at covepine.example').fill('robin@covepine.example');
    const first = page.waitForResponse('**/go_live/domain/mail');
    await page.getByRole('button', { name: 'Send me a code' }).click();
    const { challenge_id: old } = (await (await first).json()) as { challenge_id: string };
    await page.getByLabel('Code that we sent to robin@covepine.example').waitFor();
    await sendInVain();
    await page.clock.runFor(5_000);
    await page.getByText(DELAYED).waitFor();
    await look(visitor, 'go-live-work-mail');
    await refuseMails();
    await page.clock.runFor(5_000);
    await page.getByText(FAILED).waitFor();
    await page.clock.runFor(45_000);
    const again = page.waitForResponse('**/go_live/domain/mail');
    await page.getByRole('button', { name: 'send it again' }).click();
    const { challenge_id } = (await (await again).json()) as { challenge_id: string };
    expect(challenge_id).not.toBe(old);
    await page.getByLabel(/^Code that we sent/).fill(await mailedCode(console_.world, challenge_id));
    await page.getByText('covepine.example is yours').waitFor();
  });
});
