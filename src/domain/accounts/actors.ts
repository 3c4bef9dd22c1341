// The actors of a venue as its people read them. The audit log and the rows of the domain name an actor by a text: the id
// of a key, `account` and its id, or what runs on the command line and in the worker.

import type { Queryable } from '../../base/db.ts';
import { isUuid } from '../../base/ids.ts';
import type { Seal } from '../../base/seal.ts';
import { keyNames } from '../keys/queries.ts';
import { operatorOfActor, sealNameOfAccount } from './account.ts';
import { findAccounts } from './queries.ts';

export interface ShownActor {
  readonly type: 'key' | 'person' | 'operator' | 'guest' | 'service';
  /** The id of the key or the account; null for the others. */
  readonly id: string | null;
  /** The name of the key, the name or the mail address of the person; null: there is none. */
  readonly name: string | null;
}

export const SERVICE: ShownActor = { type: 'service', id: null, name: null };

export interface NamedActor {
  readonly actor: string;
  /** Absent: it came over HTTP. */
  readonly via?: string;
}

/** How each of these is shown, by the text that names it. */
export async function showActors(
  db: Queryable,
  seal: Seal,
  venueId: string,
  named: readonly NamedActor[],
): Promise<ReadonlyMap<string, ShownActor>> {
  const keyIds = named.map(({ actor }) => actor).filter((actor) => actor.startsWith('key_'));
  const accountIds = named.flatMap(({ actor }) => accountIdOf(actor) ?? []);
  const [keys, accounts] = await Promise.all([keyNames(db, venueId, keyIds), findAccounts(db, accountIds)]);
  const people = new Map(
    accounts.map(({ id, email, name }) => [id, name ?? seal.open(email, sealNameOfAccount(id))] as const),
  );
  return new Map(
    named.map(({ actor, via = 'http' }): [string, ShownActor] => {
      const accountId = accountIdOf(actor);
      if (accountId !== null) return [actor, { type: 'person', id: accountId, name: people.get(accountId) ?? null }];
      if (keys.has(actor)) return [actor, { type: 'key', id: actor, name: keys.get(actor) ?? null }];
      const isOperator = via === 'cli' || operatorOfActor(actor) !== null;
      return [actor, isOperator ? { type: 'operator', id: null, name: null } : SERVICE];
    }),
  );
}

function accountIdOf(actor: string): string | null {
  const id = actor.startsWith('account ') ? actor.slice('account '.length) : '';
  return isUuid(id) ? id : null;
}
