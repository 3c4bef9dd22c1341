// `everyshare processor check`: every step of a payment agrees at the embedded processor, a processor that behaves in
// another way is noticed, and the check leaves no difference for reconcile.

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { checkProcessor } from '../../src/domain/payments/check-processor.ts';
import type { CheckedStep } from '../../src/domain/payments/check-run.ts';
import { type CommandLine, commandLine } from '../support/run-command.ts';
import { openTestWorld, type TestWorld } from '../support/test-world.ts';

interface Report {
  readonly ok: boolean;
  readonly processor: string;
  readonly steps: readonly CheckedStep[];
  readonly left: readonly string[];
}

let world: TestWorld;
let cli: CommandLine;
beforeAll(async () => {
  world = await openTestWorld();
  cli = commandLine(world);
});
afterEach(() => world.processor.api.faults.clear());
afterAll(() => world.close());

const differing = ({ steps }: { readonly steps: readonly CheckedStep[] }): string[] =>
  steps.filter(({ ok }) => !ok).map(({ step }) => step);

describe('processor check', () => {
  it('finds every step of a payment as expected at the embedded processor', async () => {
    const report = await cli.json<Report>('processor', 'check');
    expect(differing(report)).toEqual([]);
    expect(report).toMatchObject({ ok: true, processor: 'sandbox' });
    const steps = report.steps.map(({ step }) => step);
    for (const step of ['hold', '3-D Secure', 'renewal', 'capture', 'transfer', 'refund', 'reversal', 'dispute']) {
      expect(steps).toContain(step);
    }
    for (const { proves } of report.steps) expect(proves).toMatch(/^[A-Z].*\.$/);
    expect(report.left).toEqual([expect.stringMatching(/^the dispute du_/)]);
  });

  it('prints a table with what was expected and what was found', async () => {
    const { exit, out } = await cli.run('processor', 'check');
    expect(exit).toBe(0);
    expect(out).toMatch(/^RESULT +STEP +EXPECTED +FOUND +WHAT IT PROVES$/m);
    expect(out).toMatch(
      /^ok +capture +captured, 20\.00 USD in all +captured, 20\.00 USD in all +A hold is charged once/m,
    );
  });

  it('returns all money but what is disputed, and reconcile has nothing to say about it', async () => {
    await cli.json<Report>('processor', 'check');
    const { holds } = (await world.context.services.processors.test?.holdsSince(0, null)) ?? { holds: [] };
    expect(holds.filter(({ status }) => status === 'held' || status === 'processing')).toEqual([]);
    expect((await cli.json<{ differences: unknown[] }>('reconcile', '--mode', 'test')).differences).toEqual([]);
  });

  it('exits with 1 when a step differs, reports the steps that need it as not run, and goes on with the others', async () => {
    world.processor.api.faults.set({ rules: [{ id: 'one', on: 'payment_intents.capture', kind: 'error_500' }] });
    const { exit, out, err } = await cli.run('processor', 'check', '--json');
    const report = JSON.parse(out) as Report;
    expect(exit).toBe(1);
    expect(err).toMatch(/^everyshare: \d of \d+ steps differ at the embedded processor\.\n$/);
    expect(report.ok).toBe(false);
    expect(differing(report)).toEqual(['capture', 'transfer', 'refund', 'reversal', 'dispute']);
    expect(report.steps.find(({ step }) => step === 'refund')?.found).toBe('not run: the step "capture" has failed');
  });

  it('notices a processor that refunds a call twice', async () => {
    const { processors, clock } = world.context.services;
    const { test } = processors;
    if (test === undefined) throw new Error('the world has no processor');
    let count = 0;
    const forgetful = new Proxy(test, {
      get(target, name: keyof typeof test) {
        if (name === 'refund') {
          return (intentId: string, request: Parameters<typeof test.refund>[1]) =>
            target.refund(intentId, { ...request, key: `${request.key} ${++count}` });
        }
        const value = target[name];
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    const options = { clock, runId: 'twice', accountId: null, sleep: async () => undefined };
    expect(differing(await checkProcessor({ ...options, processor: forgetful }))).toEqual(['refund']);
  });

  it('never runs in live mode', async () => {
    const { processors, clock } = world.context.services;
    if (processors.live === undefined) throw new Error('the world has no live mode');
    const options = { clock, runId: 'live', accountId: null, sleep: async () => undefined };
    await expect(checkProcessor({ ...options, processor: processors.live })).rejects.toThrow('never runs in live mode');
    expect((await processors.live.holdsSince(0, null)).holds).toEqual([]);
  });
});
