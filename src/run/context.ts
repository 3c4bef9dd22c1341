// Everything that requests and commands work with, made once when the process starts and handed down; nothing is
// global.

import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { isPhoneCountry, type PhoneSettings, phoneRules } from '../../schemas/rules/phone.ts';
import { rules, rulesWhenNew } from '../../schemas/rules/rules.ts';
import { type Clock, systemMonotonicClock } from '../base/clock.ts';
import type { Actor, CommandContext, CommandServices } from '../base/command-context.ts';
import { type Config, ConfigError, type Mode } from '../base/config.ts';
import type { Db } from '../base/db.ts';
import { makeIds } from '../base/ids.ts';
import type { Log } from '../base/log.ts';
import { isLoopback } from '../base/network.ts';
import { makeOutbound, type Outbound } from '../base/outbound/outbound.ts';
import { type LookUpText, makeTextLookup } from '../base/outbound/text-records.ts';
import { packageRoot, packageVersion } from '../base/package-root.ts';
import type { Random } from '../base/random.ts';
import { DAY_MS, type Retention } from '../base/retention.ts';
import { makeContract } from '../base/schema/contract.ts';
import { type Registry, readRegistry } from '../base/schema/registry.ts';
import { makeValidator, type Validator } from '../base/schema/validate.ts';
import { buildSchemaVersion } from '../base/schema-check.ts';
import { schemaFolders } from '../base/schema-files.ts';
import { makeSeal } from '../base/seal.ts';
import { type Reads, readFromPrimary } from '../base/standby-reads.ts';
import { WorkSignal } from '../base/work-signal.ts';
import { CheckoutChanges } from '../domain/checkouts/guests/checkout-changes.ts';
import type { ProgressServices } from '../domain/checkouts/guests/progress.ts';
import { EventFeeds } from '../domain/events/event-feeds.ts';
import type { StreamServices } from '../domain/events/stream-events.ts';
import type { GoLiveSettings } from '../domain/go-live/checklist.ts';
import { type Mappings, readMappings } from '../domain/hooks/mapping/read-mappings.ts';
import { TokenCache } from '../domain/hooks/readers/call-provider.ts';
import type { ReadServices } from '../domain/hooks/readers/read-due-objects.ts';
import { type Readers, readReaders } from '../domain/hooks/readers/read-readers.ts';
import { makeRunOnce } from '../domain/idempotency/run-once.ts';
import { makeTokens, type Tokens } from '../domain/members/tokens.ts';
import { type FiguresReader, makeFiguresReader } from '../domain/monitoring/figures.ts';
import type { InstallationSettings } from '../domain/monitoring/show-health.ts';
import type { Processors } from '../domain/payments/processor.ts';

/** What a folder of schemas says. It holds no state of a context, so several contexts can share it. */
export interface Schemas {
  readonly registry: Registry;
  readonly validator: Validator;
  /** How the deliveries of each venue system are mapped. */
  readonly mappings: Mappings;
  /** How the API of each venue system is read. */
  readonly readers: Readers;
}

export interface AppContext extends CommandServices, Schemas {
  readonly config: Config;
  readonly db: Db;
  /** For operations that only read: from a standby where there is one. */
  readonly reads: Reads;
  readonly clock: Clock;
  readonly log: Log;
  readonly operatorToken: string;
  /** The service's own address and that of its pages: from the configuration, or set once the server listens. */
  readonly address: { base: string; pages: string };
  /** What external operations are handed: the database, the card processor, and the client for partners' addresses. */
  readonly services: ProgressServices &
    StreamServices & {
      readonly outbound: Outbound;
      readonly mappings: Mappings;
      readonly consoleUrl: () => string;
      readonly retention: Retention;
      readonly figures: FiguresReader;
      readonly installation: InstallationSettings;
      readonly serviceUrl: () => string;
      readonly goLive: GoLiveSettings;
      readonly lookUpText: LookUpText;
    };
  /** Signs and verifies the tokens of members, and publishes the keys. */
  readonly tokens: Tokens;
  readonly processorAccess: ProcessorAccess;
  readonly workSignal: WorkSignal;
}

/** How the card processor reaches us, and how browsers reach the embedded one. */
export interface ProcessorAccess {
  /** The address of the embedded processor; null: there is none, or browsers may not use it. */
  readonly sandboxUrl: (() => Promise<string>) | null;
  /** The secrets that sign the processor's events of each mode: each webhook endpoint has its own. */
  readonly processorEventSecrets: Readonly<Partial<Record<Mode, readonly string[]>>>;
}

export interface ContextOptions {
  readonly config: Config;
  readonly db: Db;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Absent: everything is read from the primary. */
  readonly reads?: Reads;
  /** Absent: the context makes one, which needs no closing. */
  readonly outbound?: Outbound;
  /** The first seals, all open. */
  readonly sealKeys: readonly Buffer[];
  readonly operatorToken: string;
  readonly schemas: Schemas;
  /** Absent: this process does nothing that needs the card processor. */
  readonly processors?: Processors;
  readonly processorAccess?: ProcessorAccess;
  /** Absent: workers of other processes find new work at their next turn. */
  readonly workSignal?: WorkSignal;
}

/** The validator compiles a schema at its first use, which takes a while: read the schemas once for a process. */
export function readSchemas(folder: string): Schemas {
  const registry = readRegistry(folder);
  return {
    registry,
    validator: makeValidator(registry),
    mappings: readMappings(join(folder, 'mappings')),
    readers: readReaders(join(folder, 'readers')),
  };
}

export function makeContext(options: ContextOptions): AppContext {
  const { config, db, clock, random, log, operatorToken } = options;
  const { registry, validator, mappings, readers } = options.schemas;
  const address = { base: config.baseUrl ?? '', pages: config.checkoutPageBase ?? config.baseUrl ?? '' };
  const ids = makeIds(clock, random);
  const seal = makeSeal(options.sealKeys, random);
  const { processors = {} } = options;
  const phones = phoneSettings(config);
  const tokens = makeTokens({ db, clock, ids, seal, issuer: () => address.base, memberIssuer: config.memberIssuer });
  return {
    config,
    db,
    reads: options.reads ?? readFromPrimary(db),
    clock,
    random,
    log,
    registry,
    validator,
    mappings,
    readers,
    readsPerDay: config.readsPerDay,
    retention: config.retention,
    operatorToken,
    address,
    ids,
    seal,
    services: {
      db,
      clock,
      ids,
      seal,
      log,
      outbound: options.outbound ?? makeOutbound({ allowInsecureTargets: config.allowInsecureTargets }),
      processors,
      random,
      mappings,
      payoutDelay: config.payoutDelayHours * 3_600_000,
      pageBase: () => address.pages,
      consoleUrl: () => consoleUrlAt(address.base),
      serviceUrl: () => address.base,
      goLive: { termsUrl: config.termsUrl, needsApproval: config.liveNeedsApproval },
      lookUpText: makeTextLookup(config.dnsServers),
      host: () => new URL(address.pages || 'http://localhost').hostname,
      phones,
      textsPerHour: config.textsPerHour,
      retention: config.retention,
      hasMail: config.mail !== null || config.sandboxMail,
      tokens,
      runOnce: makeRunOnce(db, seal, config.retention.idempotencyKeyDays * DAY_MS),
      figures: makeFiguresReader({ db, elapsed: systemMonotonicClock, log, retention: config.retention }),
      installation: installationSettings(config),
      eventFeeds: new EventFeeds({ db, clock, log }),
      checkoutChanges: new CheckoutChanges({ db, log }),
    },
    tokens,
    contract: makeContract(registry, validator, { always: { ...rules, ...phoneRules(phones) }, whenNew: rulesWhenNew }),
    processorAccess: options.processorAccess ?? { sandboxUrl: null, processorEventSecrets: {} },
    workSignal: options.workSignal ?? new WorkSignal(),
    docUrl: (code) => `${address.base}/docs/errors/${code}`,
    checkoutUrl: (id) => `${address.pages}/c/${id}`,
    hookUrl: (provider) => `${address.base}/v1/hooks/${provider}/`,
  };
}

/** Browsers have passkeys for domain names alone: on this machine the console is at localhost, not at 127.0.0.1. */
function consoleUrlAt(base: string): string {
  if (!URL.canParse(base)) return '/console';
  const url = new URL(`${base}/console`);
  if (isLoopback(url.hostname)) url.hostname = 'localhost';
  return url.href;
}

function installationSettings({ twilio, sandboxSms, mail, sandboxMail }: Config): InstallationSettings {
  let schemaVersion: number | undefined;
  return {
    version: packageVersion(),
    // Read when it is asked for: commands do not need it.
    get schemaVersion() {
      schemaVersion ??= buildSchemaVersion(schemaFolders(packageRoot));
      return schemaVersion;
    },
    textSender: twilio !== null ? 'twilio' : sandboxSms ? 'sandbox' : 'none',
    mailSender: mail !== null ? 'smtp' : sandboxMail ? 'sandbox' : 'none',
  };
}

function phoneSettings({ sandboxSms: isSandbox, phoneCountries }: Config): PhoneSettings {
  const wrong = phoneCountries?.filter((code) => !isPhoneCountry(code)) ?? [];
  if (wrong.length > 0) {
    throw new ConfigError(
      wrong.map(
        (code) =>
          `PHONE_COUNTRIES has "${code}": list ISO 3166 codes of countries with mobile numbers, such as US,GB,DE.`,
      ),
    );
  }
  return { isSandbox, countries: phoneCountries?.filter(isPhoneCountry) ?? null };
}

/** What the worker reads venue systems with; the tokens that it gets there live as long as this. */
export function readServicesOf(context: AppContext): ReadServices {
  const { services, config } = context;
  return {
    ...context,
    outbound: services.outbound,
    providerTokens: new TokenCache(),
    readerBaseUrl: config.readerBaseUrl,
    wait: (ms) => pause(ms),
  };
}

export function commandContext(context: AppContext, actor: Actor): CommandContext {
  const { ids, random, seal, contract, docUrl, checkoutUrl, hookUrl, readers, readsPerDay, retention } = context;
  const now = context.clock.now();
  return { ids, random, seal, contract, docUrl, checkoutUrl, hookUrl, readers, readsPerDay, retention, actor, now };
}
