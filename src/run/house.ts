// Everything that a request needs, made once when the process starts and handed down: nothing here is global.

import type { Clock } from '../base/clock.ts';
import type { Config } from '../base/config.ts';
import type { Db } from '../base/db.ts';
import type { Ids } from '../base/ids.ts';
import type { Log } from '../base/log.ts';
import type { Random } from '../base/random.ts';
import type { Registry } from '../base/schema/registry.ts';
import type { Validator } from '../base/schema/validate.ts';
import type { Seal } from '../base/seal.ts';

export interface House {
  readonly config: Config;
  readonly db: Db;
  readonly clock: Clock;
  readonly random: Random;
  readonly ids: Ids;
  readonly seal: Seal;
  readonly log: Log;
  readonly registry: Registry;
  readonly validator: Validator;
  readonly operatorToken: string;
}
