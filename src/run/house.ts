// Everything that a request needs, made once when the process starts and handed down: nothing here is global.

import { clockRules, rules } from '../../schemas/rules/rules.ts';
import type { Clock } from '../base/clock.ts';
import type { Config } from '../base/config.ts';
import type { Db } from '../base/db.ts';
import { makeIds } from '../base/ids.ts';
import type { Log } from '../base/log.ts';
import type { Random } from '../base/random.ts';
import { makeContract } from '../base/schema/contract.ts';
import { type Registry, readRegistry } from '../base/schema/registry.ts';
import { makeValidator, type Validator } from '../base/schema/validate.ts';
import { makeSeal } from '../base/seal.ts';
import type { Act, Actor, Tools } from '../domain/venues/audit.ts';

export interface House extends Tools {
  readonly config: Config;
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly registry: Registry;
  readonly validator: Validator;
  readonly operatorToken: string;
  /** The service's own address: from the configuration, or set once the server listens. */
  readonly address: { base: string };
}

export interface HouseParts {
  readonly config: Config;
  readonly db: Db;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly sealKey: Buffer;
  readonly operatorToken: string;
  readonly schemaFolder: string;
}

export function makeHouse(parts: HouseParts): House {
  const { config, db, clock, random, log, operatorToken } = parts;
  const registry = readRegistry(parts.schemaFolder);
  const validator = makeValidator(registry);
  const address = { base: config.baseUrl ?? '' };
  return {
    config,
    db,
    clock,
    random,
    log,
    registry,
    validator,
    operatorToken,
    address,
    ids: makeIds(clock, random),
    seal: makeSeal(parts.sealKey, random),
    contract: makeContract(registry, validator, { always: rules, whenNew: clockRules }),
    docUrl: (code) => `${address.base}/docs/errors/${code}`,
  };
}

export function actIn(house: House, by: Actor): Act {
  const { ids, random, seal, contract, docUrl } = house;
  return { ids, random, seal, contract, docUrl, by, now: house.clock.now() };
}
