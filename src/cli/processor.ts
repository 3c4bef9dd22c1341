// `everyshare processor check`: runs the story of a payment in test mode against the card processor that is set up, and
// compares each step with what this service relies on. It never uses a live key.

import { setTimeout as sleep } from 'node:timers/promises';
import { checkProcessor } from '../domain/payments/check-processor.ts';
import type { CheckedStep } from '../domain/payments/check-run.ts';
import { CliError } from './cli-error.ts';
import type { Command } from './command-definition.ts';
import { table } from './table.ts';

const check: Command = {
  words: ['processor', 'check'],
  arguments: [],
  help: 'try every step of a payment at the card processor, in test mode, and compare it with what is expected',
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
      throw new CliError('STRIPE_TEST_SECRET_KEY is not set: set it, because the check never uses a live key.', 1);
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

export const processorCommands: readonly Command[] = [check];
