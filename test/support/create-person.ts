// A member who is signed in: with a token for the API and a cookie for the pages.

import { createMember } from '../../src/domain/members/create-member.ts';
import { beginSession } from '../../src/domain/members/sessions.ts';
import type { TestWorld } from './test-world.ts';

export interface Person {
  readonly id: string;
  readonly phone: string;
  readonly token: string;
  readonly cookie: string;
  readonly headers: { readonly cookie: string };
}

let nextPhone = 1000;

/** Without a name: a member who has never given one. */
export async function createPerson(world: TestWorld, name: string | null): Promise<Person> {
  const phone = `+1216555${nextPhone++}`;
  const { id } = await world.db.transaction((tx) => createMember(tx, world.command(), { phone, name }));
  const cookie = `everyshare_session=${await beginSession(world.context, id)}`;
  return { id, phone, token: await world.context.tokens.sign(id), cookie, headers: { cookie } };
}
