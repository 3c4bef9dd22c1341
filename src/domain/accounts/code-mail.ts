// GET /console/api/codes/{challenge_id}: whether the mail with a code is on its way, so that a page can say that the mail server
// is slow. The same for known and unknown mail addresses: each gets a mail.

import type { CodeMail } from '../../../schemas/types.gen.ts';
import { notFound } from '../../base/errors.ts';
import { isUuid } from '../../base/ids.ts';
import type { Input, OperationResult } from '../../base/operation.ts';
import { findMailStatus, type MailStatus } from '../mail/queries.ts';
import type { AccountServices } from './challenges.ts';

/** A mail server takes a mail within a second or two. */
const DELAYED_AFTER_MS = 10_000;

export async function getCodeMail(
  { db, clock }: AccountServices,
  _caller: unknown,
  { params: { challenge_id: id = '' } }: Input,
): Promise<OperationResult> {
  const found = isUuid(id) ? await findMailStatus(db, 'code', id.toLowerCase()) : null;
  if (found === null) throw notFound();
  const body: CodeMail = { challenge_id: id.toLowerCase(), mail: stateOf(found.status, clock.now() - found.createdAt) };
  return { status: 200, body };
}

function stateOf(status: MailStatus, age: number): CodeMail['mail'] {
  if (status === 'failed' || status === 'dropped') return 'failed';
  if (status !== 'waiting') return 'sent';
  return age < DELAYED_AFTER_MS ? 'sending' : 'delayed';
}
