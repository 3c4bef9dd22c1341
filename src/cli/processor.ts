// `everyshare processor setup`: registers at the card processor what this installation needs there, and says what to set
// here. `everyshare processor check`: runs the story of a payment in test mode against the card processor that is set up, and
// compares each step with what this service relies on. It never uses a live key.

import { setTimeout as sleep } from 'node:timers/promises';
import { checkProcessor } from '../domain/payments/check-processor.ts';
import type { CheckedStep } from '../domain/payments/check-run.ts';
import { neededSetup } from '../domain/payments/needed-setup.ts';
import { commandError, quoted, usageError } from './cli-error.ts';
import type { Command } from './command-definition.ts';
import { choiceOption } from './options.ts';
import { table } from './table.ts';

const check: Command = {
  words: ['processor', 'check'],
  arguments: [],
  help: 'try every step of a payment at the card processor, in test mode, and compare it with what is expected',
  mayBeFirst: true,
  options: [
    {
      name: 'account',
      valueName: 'ID',
      help: 'a connected account of test mode that is onboarded; a new one is made when absent',
    },
  ],
  async run(input, open) {
    const { context } = await open();
    const { test: processor } = context.services.processors;
    if (processor === undefined) {
      throw commandError('STRIPE_TEST_SECRET_KEY is not set: set it, because the check never uses a live key.');
    }
    const { steps, left } = await checkProcessor({
      processor,
      clock: context.clock,
      runId: context.ids.uuid().slice(-12),
      accountId: input.text('account'),
      sleep,
    });
    const where = context.config.sandboxProcessor ? 'the embedded processor' : 'Stripe in test mode';
    const failed = steps.filter(({ ok }) => !ok).length;
    return {
      json: { ok: failed === 0, processor: context.config.sandboxProcessor ? 'sandbox' : 'stripe', steps, left },
      text: [textOf(where, steps), ...left.map((what) => `Left there: ${what}.`)].join('\n'),
      ...(failed === 0 ? {} : { failure: `${failed} of ${steps.length} steps differ at ${where}.` }),
    };
  },
};

function textOf(where: string, steps: readonly CheckedStep[]): string {
  const rows = steps.map(({ step, proves, expected, found, ok }) => [
    ok ? 'ok' : 'DIFFERS',
    step,
    expected,
    found,
    proves,
  ]);
  return `Checked ${where}:\n\n${table(['RESULT', 'STEP', 'EXPECTED', 'FOUND', 'WHAT IT PROVES'], rows)}\n`;
}

const setup: Command = {
  words: ['processor', 'setup'],
  arguments: [],
  help: 'register the domain for wallets and the addresses for events at the card processor; a second run changes nothing',
  mayBeFirst: true,
  options: [
    { name: 'mode', valueName: 'test|live', isRequired: true, help: 'whose account' },
    { name: 'url', valueName: 'URL', isRequired: true, help: 'the public address of this service, with https' },
  ],
  async run(input, open) {
    const mode = choiceOption(input, 'mode', ['test', 'live']);
    const url = publicAddress(input.required('url'));
    const { context } = await open();
    const processor = context.services.processors[mode];
    if (processor === undefined) {
      throw commandError(`STRIPE_${mode.toUpperCase()}_SECRET_KEY is not set: set it to the key of the account.`);
    }
    const run = context.ids.uuid();
    const steps = [];
    const secrets: string[] = [];
    for (const { kind, name } of neededSetup(url, mode)) {
      const { change, secret, problems } = await processor
        .register(kind, `setup ${kind} ${run}`, name)
        .catch((error: unknown) => {
          throw withSecrets(mode, secrets, error);
        });
      steps.push({ what: kind, name, change, problems });
      if (secret !== null) secrets.push(secret);
    }
    const setting = secretsSetting(mode);
    const value = secrets.join(',');
    const rows = steps.map(({ what, name, change }) => [what, name, change]);
    return {
      json: { mode, steps, secret: value === '' ? null : { setting, value } },
      text: [
        table(['WHAT', 'NAME', 'CHANGE'], rows),
        ...steps.flatMap(({ problems }) => problems),
        secretLine(setting, secrets),
      ].join('\n\n'),
    };
  },
};

const secretsSetting = (mode: string): string => `STRIPE_${mode.toUpperCase()}_WEBHOOK_SECRETS`;

/** The processor does not show again what it has shown before it failed. */
function withSecrets(mode: string, secrets: readonly string[], error: unknown): unknown {
  if (secrets.length === 0) return error;
  const reason = error instanceof Error ? error.message : String(error);
  return commandError(`${reason}\n${secretLine(secretsSetting(mode), secrets)}\nThen run the command again.`);
}

/** The processor shows a secret once, so this command does too. */
function secretLine(setting: string, secrets: readonly string[]): string {
  if (secrets.length === 0) {
    return `${setting} stays as it is. The processor’s dashboard shows the secret of each endpoint.`;
  }
  const value = secrets.join(',');
  if (secrets.length > 1) return `Set this on every server; it is not shown again:\n${setting}=${value}`;
  return `Add this to ${setting} on every server, after a comma; it is not shown again:\n${value}`;
}

function publicAddress(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol === 'https:' && url.pathname === '/' && url.search === '' && url.hostname.includes('.')) return url;
  throw usageError(`--url is ${quoted(text)}: give the public https address of this service, without a path.`);
}

export const processorCommands: readonly Command[] = [check, setup];
