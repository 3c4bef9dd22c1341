// The card processor of this installation: the real one where there are keys for it, else the embedded sandbox, found or
// started in a process of its own and kept alive. Nothing waits for it at start: the first call that needs it does.

import { createHmac } from 'node:crypto';
import { join } from 'node:path';
import type { EmbeddedProcessor } from '../../sandbox/processor/launcher.ts';
import type { Config, Mode, StripeKeys } from '../base/config.ts';
import type { Log } from '../base/log.ts';
import { packageRoot } from '../base/package-root.ts';
import type { Shutdown } from '../base/shutdown.ts';
import { type Processor, type Processors, ProcessorUnavailable } from '../domain/payments/processor.ts';
import type { ProcessorAccess } from '../run/context.ts';

export interface OpenedProcessors {
  readonly processors: Processors;
  readonly access: ProcessorAccess;
  /** Tells the sandbox where its notices go; the real processor is told in its own dashboard. */
  noticesTo(base: string): Promise<void>;
}

type Keys = StripeKeys & { readonly webhookSecret: string };

const MODES = ['test', 'live'] as const;
const LOOK_EVERY_MS = 5_000;

export type Role = 'start' | 'serve' | 'worker' | 'cli';

export async function openProcessors(
  config: Config,
  role: Role,
  sealKey: Buffer,
  log: Log,
  shutdown: Shutdown,
): Promise<OpenedProcessors> {
  return config.sandboxProcessor ? openInSandbox(config, role, sealKey, log, shutdown) : openReal(config);
}

function openReal({ stripe }: Config): OpenedProcessors {
  const processors: Partial<Record<Mode, Processor>> = {};
  const noticeSecrets: Partial<Record<Mode, string>> = {};
  for (const mode of MODES) {
    const keys = stripe[mode];
    if (keys === undefined) continue;
    const { secret: secretKey, publishable: publishableKey } = keys;
    processors[mode] = whenNeeded(mode, publishableKey, async () => {
      const { makeStripeProcessor } = await import('../domain/payments/stripe.ts');
      return makeStripeProcessor({ mode, secretKey, publishableKey });
    });
    if (keys.webhookSecret !== null) noticeSecrets[mode] = keys.webhookSecret;
  }
  const access = { sandboxUrl: null, noticeSecrets };
  return { processors, access, noticesTo: async () => undefined };
}

async function openInSandbox(
  config: Config,
  role: Role,
  sealKey: Buffer,
  log: Log,
  shutdown: Shutdown,
): Promise<OpenedProcessors> {
  const keys = { test: sandboxKeys(sealKey, 'test'), live: sandboxKeys(sealKey, 'live') };
  const sandbox = openSandbox(config, role, keys, log);
  await shutdown.add(() => sandbox.end());
  if (role !== 'cli') {
    // Whoever needs it is told; until then a failure is not an unhandled one.
    sandbox.find().catch((error: unknown) => log.error({ err: error }, 'the sandbox’s card processor did not start'));
  }
  const { secret: test, publishable: testPublishable } = keys.test;
  const { secret: live, publishable: livePublishable } = keys.live;
  return {
    processors: {
      test: whenNeeded('test', testPublishable, () => sandboxProcessor(sandbox, 'test', test, testPublishable)),
      live: whenNeeded('live', livePublishable, () => sandboxProcessor(sandbox, 'live', live, livePublishable)),
    },
    access: {
      sandboxUrl: () => sandbox.find(),
      noticeSecrets: { test: keys.test.webhookSecret, live: keys.live.webhookSecret },
    },
    async noticesTo(base) {
      const { registerWebhookEndpoint: announceNotices } = await import('../domain/payments/stripe-notices.ts');
      const at = await sandbox.find();
      for (const mode of MODES) {
        const withdraw = await announceNotices(at, keys[mode].secret, `${base}/processor/notices/${mode}`);
        // A courtesy: should the processor be away, it finds out by itself that nobody answers there.
        await shutdown.add(() =>
          withdraw().catch((error: unknown) => log.info({ err: error }, 'the processor was not told that we end')),
        );
      }
    },
  };
}

async function sandboxProcessor(
  sandbox: Sandbox,
  mode: Mode,
  secretKey: string,
  publishableKey: string,
): Promise<Processor> {
  const { makeStripeProcessor } = await import('../domain/payments/stripe.ts');
  const at = new URL(await sandbox.find());
  const protocol = at.protocol === 'https:' ? 'https' : 'http';
  const port = Number(at.port || (protocol === 'https' ? 443 : 80));
  return makeStripeProcessor({ mode, secretKey, publishableKey, address: { protocol, host: at.hostname, port } });
}

/** The same on every server of an installation, since all have its encryption key; known to nobody else. */
export function sandboxKeys(sealKey: Buffer, mode: Mode): Keys {
  const part = (purpose: string): string =>
    createHmac('sha256', sealKey).update(`sandbox processor ${mode} ${purpose}`).digest('hex').slice(0, 32);
  return {
    secret: `sk_${mode}_${part('secret')}`,
    publishable: `pk_${mode}_${part('publishable')}`,
    webhookSecret: `whsec_${part('notices')}`,
  };
}

interface Sandbox {
  /** Its address, once it answers. */
  find(): Promise<string>;
  end(): Promise<void>;
}

/**
 * The one that was named, or the one of this DATA_DIR. A server keeps it alive; `start` ends it with itself; a command of
 * the command line starts it only when it needs it, and ends what it started. What nobody asks any more ends by itself.
 */
function openSandbox(config: Config, role: Role, keys: Readonly<Record<Mode, Keys>>, log: Log): Sandbox {
  const { sandboxProcessorUrl } = config;
  if (sandboxProcessorUrl !== null) return { find: async () => sandboxProcessorUrl, end: async () => undefined };
  let first: Promise<EmbeddedProcessor> | null = null;
  let looking: Promise<EmbeddedProcessor | null> = Promise.resolve(null);
  const find = async (): Promise<string> => {
    first ??= startSandbox(config, keys, log).catch((error: unknown) => {
      first = null;
      throw error;
    });
    return (await first).url;
  };
  const look = async (last: EmbeddedProcessor | null): Promise<EmbeddedProcessor | null> => {
    try {
      return await (first ?? startSandbox(config, keys, log)).then(() => startSandbox(config, keys, log));
    } catch (error) {
      log.warn({ err: error }, 'the sandbox’s card processor is not there');
      return last;
    }
  };
  const timer = setInterval(() => {
    if (role !== 'cli') looking = looking.then(look);
  }, LOOK_EVERY_MS);
  return {
    find,
    async end() {
      clearInterval(timer);
      const started = first === null ? null : await first.catch(() => null);
      const latest = (await looking) ?? started;
      if (latest !== null && (role === 'start' || (role === 'cli' && started?.isAdopted === false)))
        await latest.stop();
    },
  };
}

/** Where browsers reach us; with a port that nobody knows yet, beside the page that they are on. */
function publicAddress({ baseUrl, host, port }: Config): string {
  if (baseUrl !== null || port === 0) return baseUrl ?? '';
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}

async function startSandbox(config: Config, keys: Readonly<Record<Mode, Keys>>, log: Log): Promise<EmbeddedProcessor> {
  const { startEmbeddedProcessor } = await import('../../sandbox/processor/launcher.ts');
  return startEmbeddedProcessor({
    dataDir: config.dataDir,
    keys,
    command: [process.execPath, join(packageRoot, 'bin', 'everyshare.js'), 'processor'],
    publicBase: `${publicAddress(config)}/sandbox/processor`,
    log: (line) => log.info(line),
  });
}

/** Stands for a processor that is still to be found: the first call finds it, and a failure is tried again by the next. */
function whenNeeded(mode: Mode, publishableKey: string, make: () => Promise<Processor>): Processor {
  let made: Promise<Processor> | null = null;
  const known: Partial<Processor> = { mode, publishableKey };
  return new Proxy(known as Processor, {
    get(target, name: keyof Processor) {
      if (name in target) return target[name];
      return async (...words: never[]): Promise<unknown> => {
        made ??= make();
        const processor = await made.catch((error: unknown) => {
          made = null;
          throw new ProcessorUnavailable('the card processor could not be reached', { cause: error });
        });
        const call = processor[name] as (...given: never[]) => Promise<unknown>;
        return call.apply(processor, words);
      };
    },
  });
}
