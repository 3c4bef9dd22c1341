// `everyshare processor check`: every step of a payment agrees at the embedded processor, a processor that behaves in
// another way is noticed, and the check leaves no difference for reconcile. `everyshare processor setup` registers what the
// service needs there, once.

import type Stripe from 'stripe';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { endpointSecret } from '../../sandbox/processor/endpoint-secret.ts';
import { type Config, readConfig } from '../../src/base/config.ts';
import { recordProcess } from '../../src/domain/monitoring/process-queries.ts';
import { checkProcessor } from '../../src/domain/payments/check-processor.ts';
import type { CheckedStep, ProcessorCheck } from '../../src/domain/payments/check-run.ts';
import type { Processor } from '../../src/domain/payments/processor.ts';
import { SUBSCRIBED_EVENTS, SUBSCRIBED_THIN_EVENTS } from '../../src/domain/payments/stripe-setup.ts';
import { withFastProcessorClock } from '../support/fast-processor-clock.ts';
import { type CommandLine, type CommandOutput, commandLine } from '../support/run-command.ts';
import { stripeClient } from '../support/test-processor.ts';
import { openTestWorld, PROCESSOR_KEYS, type TestWorld } from '../support/test-world.ts';

interface Report {
  readonly ok: boolean;
  readonly processor: string;
  readonly steps: readonly CheckedStep[];
  readonly left: readonly string[];
}

let world: TestWorld;
let cli: CommandLine;

/** The settings of the world's database, and otherwise those of `env`. */
const configWith = (env: Readonly<Record<string, string>>): Config => {
  const { config } = world.context;
  return { ...config, ...readConfig(env), databaseUrl: config.databaseUrl };
};

beforeAll(async () => {
  world = await openTestWorld();
  cli = commandLine(world);
});
afterEach(() => world.processor.api.faults.clear());

const check = (...options: string[]): Promise<CommandOutput> =>
  withFastProcessorClock(world, () => cli.run('processor', 'check', ...options));

/** The payments and transfers whose money is with a guest's bank, with us or with a venue, by id. */
async function moneyLeft(): Promise<string[]> {
  const stripe = stripeClient(world.processor.port, PROCESSOR_KEYS.test.secret);
  const ids: string[] = [];
  for await (const intent of stripe.paymentIntents.list({ limit: 100, expand: ['data.latest_charge'] })) {
    const charge = intent.latest_charge as Stripe.Charge | null;
    const isOpen = !['succeeded', 'canceled'].includes(intent.status);
    if (isOpen || intent.amount_received > (charge?.amount_refunded ?? 0)) ids.push(intent.id);
  }
  for await (const transfer of stripe.transfers.list({ limit: 100 })) if (!transfer.reversed) ids.push(transfer.id);
  return ids;
}

const sleep = async (): Promise<void> => {
  world.processorClock.aheadMs += 31_000;
};

/** The same without the command and without waiting. */
async function checkReport(change: (processor: Processor) => Processor = (same) => same): Promise<ProcessorCheck> {
  const { processors, clock } = world.context.services;
  if (processors.test === undefined) throw new Error('the world has no processor');
  const runId = world.context.ids.uuid().slice(-12);
  return checkProcessor({ processor: change(processors.test), clock, runId, accountId: null, sleep });
}
afterAll(() => world.close());

const differing = ({ steps }: { readonly steps: readonly CheckedStep[] }): string[] =>
  steps.filter(({ ok }) => !ok).map(({ step }) => step);

describe('processor check', () => {
  it('finds every step of a payment as expected at the embedded processor', async () => {
    const report = JSON.parse((await check('--json')).out) as Report;
    expect(differing(report)).toEqual([]);
    expect(report).toMatchObject({ ok: true, processor: 'sandbox' });
    const steps = report.steps.map(({ step }) => step);
    expect(steps).toEqual([
      'hold',
      'hold lapses',
      'same key',
      'decline',
      '3-D Secure',
      'saved card',
      'renewal',
      'capture',
      'account',
      'transfer',
      'refund',
      'reversal',
      'pending refund',
      'refund that will fail',
      'pending refund ends',
      'refund fails later',
      'dispute',
      'release',
    ]);
    for (const { proves } of report.steps) expect(proves).toMatch(/^[A-Z].*\.$/);
    expect(report.left).toEqual([
      expect.stringMatching(/^the customer cus_\w+, which holds no money$/),
      expect.stringMatching(/^the account acct_\w+, for the next check with --account acct_\w+$/),
      expect.stringMatching(/^the charge of pi_\w+ \(the processor ends its dispute du_\w+ by itself\)$/),
      expect.stringMatching(/^the charge of pi_\w+ \(every refund to its test card fails\)$/),
    ]);
  });

  it('prints a table with what was expected and what was found', async () => {
    const { exit, out } = await check();
    expect(exit).toBe(0);
    expect(out).toMatch(/^RESULT +STEP +EXPECTED +FOUND +WHAT IT PROVES$/m);
    expect(out).toMatch(
      /^ok +capture +captured, 20\.00 USD in all +captured, 20\.00 USD in all +A hold is charged once/m,
    );
  });

  it('returns all money but what it names, and reconcile has nothing to say about it', async () => {
    await checkReport();
    const { holds } = (await world.context.services.processors.test?.holdsSince(0, null)) ?? { holds: [] };
    expect(holds.filter(({ status }) => status === 'held' || status === 'processing')).toEqual([]);
    expect((await cli.json<{ differences: unknown[] }>('reconcile', '--mode', 'test')).differences).toEqual([]);
  });

  it('exits with 1 when a step differs, reports the steps that need it as not run, and goes on with the others', async () => {
    world.processor.api.faults.set({ rules: [{ id: 'one', on: 'payment_intents.capture', kind: 'error_500' }] });
    const { exit, out, err } = await check('--json');
    const report = JSON.parse(out) as Report;
    expect(exit).toBe(1);
    expect(err).toMatch(/^everyshare: \d of \d+ steps differ at the embedded processor\.\n$/);
    expect(report.ok).toBe(false);
    expect(differing(report)).toEqual([
      'capture',
      'transfer',
      'refund',
      'reversal',
      'pending refund',
      'refund that will fail',
      'pending refund ends',
      'refund fails later',
      'dispute',
    ]);
    expect(report.steps.find(({ step }) => step === 'refund')?.found).toBe('not run: the step "capture" has failed');
  });

  it.each(['payment_intents.confirm', 'payment_intents.capture', 'transfers.create'])(
    'takes back what a failed step has made, although the answer of %s was lost',
    async (on) => {
      const before = await moneyLeft();
      world.processor.api.faults.set({ rules: [{ id: 'one', on, kind: 'error_500_after', times: 1 }] });
      const report = await checkReport();
      expect(differing(report)).not.toEqual([]);
      const left = (await moneyLeft()).filter((id) => !before.includes(id));
      for (const id of left) expect(report.left.join()).toContain(id);
      expect(report.left).toHaveLength(
        left.length + report.left.filter((what) => /customer|account/.test(what)).length,
      );
    },
  );

  it('names by its id what it cannot take back, with the reason', async () => {
    const fails = (on: string) => ({ id: on, on, kind: 'error_500' as const });
    const operations = ['payment_intents.cancel', 'refunds.create', 'transfer_reversals.create'];
    const before = await moneyLeft();
    world.processor.api.faults.set({ rules: operations.map(fails) });
    const { left } = await checkReport();
    const remaining = (await moneyLeft()).filter((id) => !before.includes(id));
    expect(remaining.length).toBeGreaterThan(5);
    for (const id of remaining) expect(left).toContainEqual(expect.stringMatching(new RegExp(`${id} \\(.+\\)$`)));
  });

  it('names the marks of what it has made if the processor does not list it', async () => {
    world.processor.api.faults.set({ rules: [{ id: 'one', on: 'payment_intents.list', kind: 'error_500' }] });
    const { left } = await checkReport();
    expect(left).toContainEqual(expect.stringMatching(/^every payment with the metadata venue_id check_\w+ \(.+\)$/));
  });

  it('notices a processor that refunds a call twice', async () => {
    let count = 0;
    const forgetful = (processor: Processor): Processor =>
      new Proxy(processor, {
        get(target, name: keyof Processor) {
          if (name === 'refund') {
            return (intentId: string, request: Parameters<Processor['refund']>[1]) =>
              target.refund(intentId, { ...request, key: `${request.key} ${++count}` });
          }
          const value = target[name];
          return typeof value === 'function' ? value.bind(target) : value;
        },
      });
    expect(differing(await checkReport(forgetful))).toEqual(['refund']);
  });

  it('never runs in live mode', async () => {
    const { processors, clock } = world.context.services;
    if (processors.live === undefined) throw new Error('the world has no live mode');
    const options = { clock, runId: 'live', accountId: null, sleep };
    await expect(checkProcessor({ ...options, processor: processors.live })).rejects.toThrow('never runs in live mode');
    expect((await processors.live.holdsSince(0, null)).holds).toEqual([]);
  });
});

interface Setup {
  readonly steps: readonly { readonly what: string; readonly name: string; readonly change: string }[];
  readonly secret: { readonly setting: string; readonly value: string } | null;
}

describe('processor setup', () => {
  const argv = ['processor', 'setup', '--mode', 'live', '--url', 'https://pay.harbor.example'];

  it('registers the domain, the webhook endpoint and the event destination, and shows the secrets to set', async () => {
    const { steps, secret } = await cli.json<Setup>(...argv);
    expect(steps).toEqual([
      { what: 'payment method domain', name: 'pay.harbor.example', change: 'created', problems: [] },
      {
        what: 'webhook endpoint',
        name: 'https://pay.harbor.example/processor/notices/live',
        change: 'created',
        problems: [],
      },
      {
        what: 'event destination',
        name: 'https://pay.harbor.example/processor/notices/live',
        change: 'created',
        problems: [],
      },
    ]);
    const stripe = stripeClient(world.processor.port, PROCESSOR_KEYS.live.secret);
    const [endpoint] = (await stripe.webhookEndpoints.list()).data;
    const [destination] = (await stripe.v2.core.eventDestinations.list()).data;
    const values = [endpoint?.id, destination?.id].map((id = '') =>
      endpointSecret(PROCESSOR_KEYS.live.webhookSecret, id),
    );
    expect(secret).toEqual({ setting: 'STRIPE_LIVE_WEBHOOK_SECRETS', value: values.join(',') });
    expect(destination).toMatchObject({ event_payload: 'thin', events_from: ['@accounts'] });
  });

  it('changes nothing when it runs again, says so, and shows no secret', async () => {
    const { steps, secret } = await cli.json<Setup>(...argv);
    expect(steps.map(({ change }) => change)).toEqual(['unchanged', 'unchanged', 'unchanged']);
    expect(secret).toBeNull();
    const { exit, out } = await cli.run(...argv);
    expect(exit).toBe(0);
    expect(out).toMatch(/^webhook endpoint +https:\S+\/live +unchanged$/m);
    expect(out).not.toContain('whsec_');
    const { data } = await stripeClient(world.processor.port, PROCESSOR_KEYS.live.secret).webhookEndpoints.list();
    expect(data.filter(({ url }) => url.startsWith('https://pay.harbor.example'))).toHaveLength(1);
  });

  it('says which wallet the domain cannot show, and why, until it can', async () => {
    const unverified = ['processor', 'setup', '--mode', 'live', '--url', 'https://unverified.harbor.example'];
    const reason = 'Apple Pay is not active: The domain association file was not found on the domain.';
    for (const change of ['created', 'updated']) {
      const { steps } = await cli.json<Setup>(...unverified);
      expect(steps[0]).toMatchObject({ change, problems: [reason] });
    }
    expect((await cli.run(...unverified)).out).toContain(`\n${reason}\n`);
  });

  it('adds the events that an endpoint does not listen to', async () => {
    const stripe = stripeClient(world.processor.port, PROCESSOR_KEYS.test.secret);
    const url = 'https://pay.harbor.example/processor/notices/test';
    const { id } = await stripe.webhookEndpoints.create({ url, enabled_events: ['charge.captured'] });
    const { steps } = await cli.json<Setup>(
      'processor',
      'setup',
      '--mode',
      'test',
      '--url',
      'https://pay.harbor.example',
    );
    expect(steps.map(({ change }) => change)).toEqual(['created', 'updated', 'created']);
    const found = (await stripe.webhookEndpoints.list()).data.find((endpoint) => endpoint.id === id);
    expect(found?.enabled_events).toEqual(SUBSCRIBED_EVENTS);
  });

  it('repairs what is disabled or incomplete, and leaves a Connect endpoint of the same address alone', async () => {
    const stripe = stripeClient(world.processor.port, PROCESSOR_KEYS.live.secret);
    const url = 'https://repair.harbor.example/processor/notices/live';
    const setup = () => cli.json<Setup>('processor', 'setup', '--mode', 'live', '--url', new URL(url).origin);
    const connect = await stripe.webhookEndpoints.create({ url, enabled_events: ['account.updated'], connect: true });
    expect((await setup()).steps.map(({ change }) => change)).toEqual(['created', 'created', 'created']);
    const include: ['webhook_endpoint.url'] = ['webhook_endpoint.url'];
    const { data } = await stripe.v2.core.eventDestinations.list({ include });
    const { id = '' } = data.find((one) => one.webhook_endpoint?.url === url) ?? {};
    await stripe.v2.core.eventDestinations.update(id, { enabled_events: ['v2.core.account.created'] });
    await stripe.v2.core.eventDestinations.disable(id);
    expect((await setup()).steps.map(({ change }) => change)).toEqual(['unchanged', 'unchanged', 'updated']);
    expect(await stripe.v2.core.eventDestinations.retrieve(id)).toMatchObject({
      status: 'enabled',
      enabled_events: [...SUBSCRIBED_THIN_EVENTS, 'v2.core.account.created'],
    });
    const found = (await stripe.webhookEndpoints.list({ limit: 20 })).data.find((one) => one.id === connect.id);
    expect(found?.enabled_events).toEqual(['account.updated']);
    expect((await setup()).steps.map(({ change }) => change)).toEqual(['unchanged', 'unchanged', 'unchanged']);
  });

  it('is what doctor asks for while something is missing, and no longer afterwards', async () => {
    const env = {
      STRIPE_LIVE_SECRET_KEY: 'sk_live_1',
      STRIPE_LIVE_PUBLISHABLE_KEY: 'pk_live_1',
      BASE_URL: 'https://doctor.harbor.example',
    };
    const doctor = async (secrets: string) => {
      const config = configWith({ ...env, STRIPE_LIVE_WEBHOOK_SECRETS: secrets });
      const { out } = await commandLine({ ...world, context: { ...world.context, config } }).run('doctor', '--json');
      const { checks } = JSON.parse(out) as { checks: { name: string; ok: boolean; detail: string; remedy: string }[] };
      return checks.find(({ name }) => name === 'processor');
    };
    const before = await doctor('whsec_1');
    expect(before).toMatchObject({ ok: false, remedy: expect.stringContaining('everyshare processor setup') });
    for (const text of ['WEBHOOK_SECRETS has 1 of 2', 'domain', 'webhook endpoint', 'event destination']) {
      expect(before?.detail).toContain(text);
    }
    await cli.json<Setup>('processor', 'setup', '--mode', 'live', '--url', env.BASE_URL);
    expect(await doctor('whsec_1,whsec_2')).toMatchObject({ ok: true, remedy: null });
  });

  it.each(['http://pay.harbor.example', 'https://pay.harbor.example/path', 'https://localhost', 'harbor'])(
    'refuses the address %s',
    async (url) => {
      expect(await cli.line(2, 'processor', 'setup', '--mode', 'live', '--url', url)).toContain('--url is');
    },
  );
});

describe('the sandbox processor', () => {
  const doctor = async (env: Readonly<Record<string, string>> = {}): Promise<unknown> => {
    const context = { ...world.context, config: configWith(env) };
    const { checks } = JSON.parse((await commandLine({ ...world, context }).run('doctor', '--json')).out);
    return (checks as { name: string }[]).find(({ name }) => name === 'processor');
  };
  const record = (host: string, role: 'serve' | 'worker'): Promise<void> =>
    recordProcess(world.db, {
      id: world.context.ids.uuid(),
      role,
      version: '1.0.0',
      schemaVersion: 1,
      host,
      outcomes: {},
    });

  it('that each of several machines has for itself is a problem for the doctor', async () => {
    const isFine = { ok: true, detail: 'the sandbox serves test and live: no real money moves' };
    await record('shore-1', 'serve');
    await record('shore-1', 'worker');
    expect(await doctor()).toMatchObject(isFine);
    await record('shore-2', 'serve');
    expect(await doctor()).toMatchObject({
      ok: false,
      detail: 'shore-1, shore-2 each have a sandbox of their own: a card that is held at one is unknown at the others',
      remedy: expect.stringContaining('SANDBOX_PROCESSOR_URL'),
    });
    expect(await doctor({ SANDBOX_PROCESSOR_URL: 'http://processor:8080' })).toMatchObject(isFine);
    await world.db.query('delete from processes');
  });
});

describe('payouts of the platform', () => {
  const setSchedule = (interval: 'daily' | 'manual') =>
    stripeClient(world.processor.port, PROCESSOR_KEYS.live.secret).balanceSettings.update({
      payments: { payouts: { schedule: { interval } } },
    });
  const doctor = async (): Promise<unknown> => {
    const keys = { STRIPE_LIVE_SECRET_KEY: 'sk_live_1', STRIPE_LIVE_PUBLISHABLE_KEY: 'pk_live_1' };
    const config = configWith(keys);
    const { out } = await commandLine({ ...world, context: { ...world.context, config } }).run('doctor', '--json');
    const { checks } = JSON.parse(out) as { checks: { name: string }[] };
    return checks.find(({ name }) => name === 'platform_payouts');
  };

  it('that are automatic are a problem for the doctor, because they take the money of guests', async () => {
    expect(await doctor()).toMatchObject({ ok: true, detail: 'our balance is paid out by hand' });
    await setSchedule('daily');
    expect(await doctor()).toMatchObject({ ok: false, detail: expect.stringContaining('automatically (daily)') });
    await setSchedule('manual');
  });

  it('that the processor does not show are a notice', async () => {
    const rule = { id: 'down', on: 'balance_settings.retrieve', kind: 'error_500' } as const;
    world.processor.api.faults.set({ rules: [rule] });
    expect(await doctor()).toMatchObject({ ok: true, remedy: expect.stringContaining('manual') });
  });
});
