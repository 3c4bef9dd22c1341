// A member who is signed in: with a token for the API and a cookie for the pages.

import { createMember } from '../../src/domain/members/create-member.ts';
import { beginSession } from '../../src/domain/members/sessions.ts';
import type { TestWorld } from './test-world.ts';

export interface Person {
  readonly id: string;
  readonly token: string;
  readonly cookie: string;
  readonly headers: { readonly cookie: string };
}

let nextPhone = 1000;

export async function createPerson(world: TestWorld, name: string): Promise<Person> {
  const phone = `+1216555${nextPhone++}`;
  const { id } = await world.db.transaction((tx) => createMember(tx, world.command(), { phone, name }));
  const cookie = `everyshare_session=${await beginSession(world.context, id)}`;
  return { id, token: await world.context.tokens.sign(id), cookie, headers: { cookie } };
}
