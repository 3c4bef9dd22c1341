// What a command is handed besides the transaction and its input: the services it works with, the actor and the time.
// Made for each request by run/context.ts. It holds nothing that reaches another server.

import type { Facts } from '../../schemas/rules/rule.ts';
import type { Reader } from '../../schemas/types.gen.ts';
import type { Ids } from './ids.ts';
import type { Random } from './random.ts';
import type { Retention } from './retention.ts';
import type { Contract } from './schema/contract.ts';
import type { Seal } from './seal.ts';

/** Who acts, as the audit log names them. */
export interface Actor {
  readonly name: string;
  readonly via: 'http' | 'mcp' | 'cli' | 'start' | 'worker';
  readonly address: string | null;
  readonly requestId: string | null;
}

/** What commands work with; made once when the process starts. */
export interface CommandServices {
  readonly ids: Ids;
  readonly random: Random;
  readonly seal: Seal;
  readonly contract: Contract<Facts>;
  /** The page that explains an error code. */
  readonly docUrl: (code: string) => string;
  /** The page on which a party pays. */
  readonly checkoutUrl: (checkoutId: string) => string;
  /** The address to which a venue system delivers, without the token that ends it. */
  readonly hookUrl: (provider: string) => string;
  /** How the API of each venue system is read, by provider. */
  readonly readers: ReadonlyMap<string, Reader>;
  /** The most requests to the API of one venue system for one integration in a day. */
  readonly readsPerDay: number;
  /** For how long rows are kept. */
  readonly retention: Retention;
}

/** The services of a command together with the actor and the time of the call. */
export interface CommandContext extends CommandServices {
  readonly actor: Actor;
  readonly now: number;
}
