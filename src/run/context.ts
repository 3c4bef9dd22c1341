// Everything that a request needs, made once when the process starts and handed down: nothing here is global.

import { join } from 'node:path';
import { clockRules, rules } from '../../schemas/rules/rules.ts';
import type { Clock } from '../base/clock.ts';
import type { Actor, CommandContext, CommandServices } from '../base/command-context.ts';
import type { Config, Mode } from '../base/config.ts';
import type { Db } from '../base/db.ts';
import { makeIds } from '../base/ids.ts';
import type { Log } from '../base/log.ts';
import { makeOutbound, type Outbound } from '../base/outbound/outbound.ts';
import type { Random } from '../base/random.ts';
import { makeContract } from '../base/schema/contract.ts';
import { type Registry, readRegistry } from '../base/schema/registry.ts';
import { makeValidator, type Validator } from '../base/schema/validate.ts';
import { makeSeal } from '../base/seal.ts';
import type { GuestServices } from '../domain/checkouts/party/guest-services.ts';
import { type Mappings, readMappings } from '../domain/hooks/mapping/read-mappings.ts';
import { makeTokens, type Tokens } from '../domain/members/tokens.ts';
import type { Processors } from '../domain/payments/processor.ts';

export interface AppContext extends CommandServices {
  readonly config: Config;
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly registry: Registry;
  readonly validator: Validator;
  /** How each venue system is read. */
  readonly mappings: Mappings;
  readonly operatorToken: string;
  /** The service's own address: from the configuration, or set once the server listens. */
  readonly address: { base: string };
  /** What commands that call the outside are handed: the card processor, and the addresses that partners gave us. */
  readonly services: GuestServices & { readonly outbound: Outbound; readonly mappings: Mappings };
  /** Members' tokens: signed, verified, published. */
  readonly tokens: Tokens;
  readonly processorAccess: ProcessorAccess;
}

/** How the processor and we reach one another, besides the calls that we make. */
export interface ProcessorAccess {
  /** Where the embedded processor listens; null: there is none, or it is not ours to show. */
  readonly sandboxUrl: (() => Promise<string>) | null;
  /** With which each mode's notices are signed. */
  readonly noticeSecrets: Readonly<Partial<Record<Mode, string>>>;
}

export interface ContextOptions {
  readonly config: Config;
  readonly db: Db;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Absent: one of its own, that nobody has to close. */
  readonly outbound?: Outbound;
  readonly sealKey: Buffer;
  readonly operatorToken: string;
  readonly schemaFolder: string;
  /** Absent: nothing that needs the card processor is done here. */
  readonly processors?: Processors;
  readonly processorAccess?: ProcessorAccess;
}

export function makeContext(parts: ContextOptions): AppContext {
  const { config, db, clock, random, log, operatorToken } = parts;
  const registry = readRegistry(parts.schemaFolder);
  const validator = makeValidator(registry);
  const mappings = readMappings(join(parts.schemaFolder, 'mappings'));
  const address = { base: config.baseUrl ?? '' };
  const ids = makeIds(clock, random);
  const seal = makeSeal(parts.sealKey, random);
  const { processors = {} } = parts;
  const tokens = makeTokens({ db, clock, ids, seal, issuer: () => address.base, foreign: config.memberIssuer });
  return {
    config,
    db,
    clock,
    random,
    log,
    registry,
    validator,
    mappings,
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
      outbound: parts.outbound ?? makeOutbound({ allowInsecureTargets: config.allowInsecureTargets }),
      processors,
      random,
      mappings,
      payoutDelay: config.payoutDelayHours * 3_600_000,
      pageBase: () => config.checkoutPageBase ?? address.base,
      host: () => new URL(config.checkoutPageBase ?? (address.base || 'http://localhost')).hostname,
      isSandbox: config.sandboxTexts,
      tokens,
    },
    tokens,
    contract: makeContract(registry, validator, { always: rules, whenNew: clockRules }),
    processorAccess: parts.processorAccess ?? { sandboxUrl: null, noticeSecrets: {} },
    docUrl: (code) => `${address.base}/docs/errors/${code}`,
    checkoutUrl: (id) => `${config.checkoutPageBase ?? address.base}/c/${id}`,
    hookUrl: (provider) => `${address.base}/v1/hooks/${provider}/`,
  };
}

export function commandContext(context: AppContext, by: Actor): CommandContext {
  const { ids, random, seal, contract, docUrl, checkoutUrl, hookUrl } = context;
  return { ids, random, seal, contract, docUrl, checkoutUrl, hookUrl, by, now: context.clock.now() };
}
