// A venue in the console with a person of a role, for the tests of going live and of notices.

import type { Role } from '../../src/domain/accounts/roles.ts';
import { openMail } from '../../src/domain/mail/mail.ts';
import { callConsole, createAccount, createSession } from '../support/console-client.ts';
import type { HttpResponse, TestWorld } from '../support/test-world.ts';

export interface TeamMember {
  readonly id: string;
  readonly email: string;
  readonly sessionId: string;
  readonly token: string;
  call(method: string, path: string, body?: object): Promise<HttpResponse>;
}

let people = 0;

export async function addMember(
  world: TestWorld,
  venue: string,
  role: Role,
  email = `${role}${people++}@team.example`,
): Promise<TeamMember> {
  const id = await createAccount(world.context, email, [[venue, role]]);
  const { id: sessionId, token } = await createSession(world.context, id);
  const call = (method: string, path: string, body?: object) =>
    callConsole(world, method, path, { token, venue, ...(body === undefined ? {} : { body }) });
  return { id, email, sessionId, token, call };
}

export interface QueuedMail {
  readonly to: string;
  readonly title: string;
  readonly text: string;
}

/** The queued mails of a kind, oldest first. */
export async function queuedMails({ db, context }: TestWorld, kind: string): Promise<QueuedMail[]> {
  const rows = await db.query<{ id: string; address: Buffer; content: Buffer }>(
    'select mail_id as "id", address, content from mails where kind = $1 order by created_at, mail_id',
    [kind],
  );
  return rows.map((row) => openMail(context.seal, row));
}

/** What the audit log has of a venue, of actions that begin with one of these words. */
export async function auditOf({ db }: TestWorld, venue: string, prefix: string): Promise<unknown[]> {
  const rows = await db.query<{ action: string; actor: string; subject: string; detail: unknown }>(
    'select action, actor, subject, detail from audit_log where venue_id = $1 and action like $2 order by audit_id',
    [venue, `${prefix}%`],
  );
  return rows.map(({ action, actor, subject, detail }) => [action, actor, subject, detail]);
}
