// The card processor of this installation: Stripe if its keys are set, else the embedded sandbox processor, found or
// started as a child process and restarted when it dies. Startup does not wait for it; the first call that needs it does.

import { createHmac } from 'node:crypto';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import type { EmbeddedProcessor } from '../../sandbox/processor/launcher.ts';
import type { Config, Mode } from '../base/config.ts';
import type { Log } from '../base/log.ts';
import { isLoopback } from '../base/network.ts';
import { packageRoot } from '../base/package-root.ts';
import type { Shutdown } from '../base/shutdown.ts';
import type { StripeKeys } from '../base/stripe-settings.ts';
import { type Processor, type Processors, ProcessorUnavailable } from '../domain/payments/processor.ts';
import type { ProcessorAccess } from '../run/context.ts';

export interface OpenedProcessors {
  readonly processors: Processors;
  readonly access: ProcessorAccess;
  /** Registers this server for the events of the sandbox processor. With Stripe, `processor setup` does so. */
  registerWebhookEndpoints(base: string): Promise<void>;
}

type SandboxKeys = Omit<StripeKeys, 'webhookSecrets'> & { readonly webhookSecret: string };

const MODES = ['test', 'live'] as const;
const SUPERVISE_INTERVAL_MS = 5_000;

export type Role = 'start' | 'serve' | 'worker' | 'cli';

export async function openProcessors(
  config: Config,
  role: Role,
  sealKeys: readonly Buffer[],
  log: Log,
  shutdown: Shutdown,
): Promise<OpenedProcessors> {
  return config.sandboxProcessor
    ? openSandboxProcessors(config, role, sealKeys, log, shutdown)
    : openStripeProcessors(config);
}

function openStripeProcessors({ stripe }: Config): OpenedProcessors {
  const processors: Partial<Record<Mode, Processor>> = {};
  const processorEventSecrets: Partial<Record<Mode, readonly string[]>> = {};
  for (const mode of MODES) {
    const keys = stripe[mode];
    if (keys === undefined) continue;
    const { secret: secretKey, publishable: publishableKey } = keys;
    processors[mode] = lazyProcessor({ mode, publishableKey, isSandbox: false }, async () => {
      const { makeStripeProcessor } = await import('../domain/payments/stripe.ts');
      return makeStripeProcessor({ mode, secretKey, publishableKey });
    });
    processorEventSecrets[mode] = keys.webhookSecrets;
  }
  const access = { sandboxUrl: null, processorEventSecrets };
  return { processors, access, registerWebhookEndpoints: async () => undefined };
}

async function openSandboxProcessors(
  config: Config,
  role: Role,
  sealKeys: readonly Buffer[],
  log: Log,
  shutdown: Shutdown,
): Promise<OpenedProcessors> {
  const keys = sandboxKeysOf(sealKeys);
  const sandbox = superviseSandbox(config, role, keys, log);
  await shutdown.add(() => sandbox.stop());
  if (role !== 'cli') {
    // The first call that needs the processor gets the error too. Caught here so that it is not an unhandled rejection.
    sandbox.url().catch((error: unknown) => log.error({ err: error }, 'the sandbox processor did not start'));
  }
  const sandboxAt = (mode: Mode): Processor => {
    const { secret, publishable: publishableKey } = keys[mode];
    const known = { mode, publishableKey, isSandbox: true };
    return lazyProcessor(known, () => sandboxProcessor(sandbox, mode, secret, publishableKey));
  };
  // The secret of the mode signs the events of endpoints that an earlier release registered.
  const processorEventSecrets = { test: [keys.test.webhookSecret], live: [keys.live.webhookSecret] };
  return {
    processors: {
      test: sandboxAt('test'),
      live: sandboxAt('live'),
    },
    access: { sandboxUrl: () => sandbox.url(), processorEventSecrets },
    async registerWebhookEndpoints(base) {
      const { registerWebhookEndpoints } = await import('../domain/payments/register-webhook-endpoint.ts');
      const { endpointSecret } = await import('../../sandbox/processor/endpoint-secret.ts');
      const address = await sandbox.url();
      for (const mode of MODES) {
        const url = `${addressForNotices(config, base)}/processor/notices/${mode}`;
        const { ids, unregister } = await registerWebhookEndpoints(address, keys[mode].secret, url);
        processorEventSecrets[mode].push(...ids.map((id) => endpointSecret(keys[mode].webhookSecret, id)));
        // Best effort: if the processor is down, it stops sending on its own after failed deliveries.
        await shutdown.add(() =>
          unregister().catch((error: unknown) =>
            log.info({ err: error }, 'the process could not unregister its webhook endpoint at the sandbox processor'),
          ),
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
  const address = new URL(await sandbox.url());
  const protocol = address.protocol === 'https:' ? 'https' : 'http';
  const port = Number(address.port || (protocol === 'https' ? 443 : 80));
  return makeStripeProcessor({ mode, secretKey, publishableKey, address: { protocol, host: address.hostname, port } });
}

/**
 * Of the smallest key, so that their order does not matter: an operator who replaces the encryption key changes the
 * sandbox's own keys once.
 */
export function sandboxKeysOf(sealKeys: readonly Buffer[]): Readonly<Record<Mode, SandboxKeys>> {
  const [sealKey = Buffer.alloc(0)] = [...sealKeys].sort(Buffer.compare);
  return { test: sandboxKeys(sealKey, 'test'), live: sandboxKeys(sealKey, 'live') };
}

/** Derived from the encryption key, so every server of an installation has the same keys and no one else knows them. */
export function sandboxKeys(sealKey: Buffer, mode: Mode): SandboxKeys {
  const part = (purpose: string): string =>
    createHmac('sha256', sealKey).update(`sandbox processor ${mode} ${purpose}`).digest('hex').slice(0, 32);
  return {
    secret: `sk_${mode}_${part('secret')}`,
    publishable: `pk_${mode}_${part('publishable')}`,
    webhookSecret: `whsec_${part('notices')}`,
  };
}

interface Sandbox {
  /** Its address; resolves when it answers. */
  url(): Promise<string>;
  stop(): Promise<void>;
}

/**
 * SANDBOX_PROCESSOR_URL, or the sandbox processor of this DATA_DIR. Servers and workers restart it when it dies, and
 * `start` stops it on exit; it stops by itself when the last server or worker leaves. An operator's command starts it
 * only if needed, and stops only what it started.
 */
function superviseSandbox(config: Config, role: Role, keys: Readonly<Record<Mode, SandboxKeys>>, log: Log): Sandbox {
  const { sandboxProcessorUrl } = config;
  if (sandboxProcessorUrl !== null) return { url: async () => sandboxProcessorUrl, stop: async () => undefined };
  let first: Promise<EmbeddedProcessor> | null = null;
  let supervision: Promise<EmbeddedProcessor | null> = Promise.resolve(null);
  const find = async (): Promise<string> => {
    first ??= startSandbox(config, role, keys, log).catch((error: unknown) => {
      first = null;
      throw error;
    });
    return (await first).url;
  };
  const ensureRunning = async (last: EmbeddedProcessor | null): Promise<EmbeddedProcessor | null> => {
    try {
      return await (first ?? startSandbox(config, role, keys, log)).then(() => startSandbox(config, role, keys, log));
    } catch (error) {
      log.warn({ err: error }, 'the sandbox processor is not running and could not be started; the server retries');
      return last;
    }
  };
  const timer = setInterval(() => {
    if (role !== 'cli') supervision = supervision.then(ensureRunning);
  }, SUPERVISE_INTERVAL_MS);
  return {
    url: find,
    async stop() {
      clearInterval(timer);
      const started = first === null ? null : await first.catch(() => null);
      const latest = (await supervision) ?? started;
      if (role === 'start' || (role === 'cli' && started?.isAdopted === false)) await latest?.stop();
      else await latest?.leave();
    },
  };
}

/**
 * Where the processor sends its events to this server. A processor on another machine, or in another container, does not
 * reach the loopback address of a server that listens on all: it gets the first address of this machine's network.
 */
export function addressForNotices(
  { sandboxProcessorUrl, host }: Pick<Config, 'sandboxProcessorUrl' | 'host'>,
  localUrl: string,
  interfaces = networkInterfaces(),
): string {
  const isElsewhere = sandboxProcessorUrl !== null && !isLoopback(new URL(sandboxProcessorUrl).hostname);
  if (!isElsewhere || (host !== '0.0.0.0' && host !== '::')) return localUrl;
  const addresses = Object.values(interfaces).flatMap((each) => each ?? []);
  const own = addresses.find(({ internal, family }) => !internal && family === 'IPv4');
  return own === undefined ? localUrl : `http://${own.address}:${new URL(localUrl).port}`;
}

export const sandboxPublicBase = (config: Config): string => `${publicAddress(config)}/sandbox/processor`;

/** The address that browsers use. Empty if the port is not known yet: then links are relative to the page. */
function publicAddress({ baseUrl, host, port }: Config): string {
  if (baseUrl !== null || port === 0) return baseUrl ?? '';
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}

async function startSandbox(
  config: Config,
  role: Role,
  keys: Readonly<Record<Mode, SandboxKeys>>,
  log: Log,
): Promise<EmbeddedProcessor> {
  const { startEmbeddedProcessor } = await import('../../sandbox/processor/launcher.ts');
  return startEmbeddedProcessor({
    dataDir: config.dataDir,
    keys,
    command: [process.execPath, join(packageRoot, 'bin', 'everyshare.js'), 'processor'],
    publicBase: sandboxPublicBase(config),
    ...(role === 'cli' ? {} : { user: `${role} ${process.pid}` }),
    log: (line) => log.info(line),
  });
}

/** A processor that is opened by the first call to it. If opening fails, the next call tries again. */
function lazyProcessor(
  known: Pick<Processor, 'mode' | 'publishableKey' | 'isSandbox'>,
  open: () => Promise<Processor>,
): Processor {
  let opened: Promise<Processor> | null = null;
  return new Proxy(known as Processor, {
    get(target, name: keyof Processor) {
      if (name in target) return target[name];
      return async (...args: never[]): Promise<unknown> => {
        opened ??= open();
        const processor = await opened.catch((error: unknown) => {
          opened = null;
          throw new ProcessorUnavailable('the card processor could not be reached', { cause: error });
        });
        const call = processor[name] as (...given: never[]) => Promise<unknown>;
        return call.apply(processor, args);
      };
    },
  });
}
