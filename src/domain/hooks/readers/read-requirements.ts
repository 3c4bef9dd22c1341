// What must hold of a read before its answers are applied: the object belongs to the account of the credentials, and the
// answers have the version that the delivery announced. Pure.

import { textOf, valueAt } from '../mapping/body.ts';
import { versionOf } from '../mapping/interpret.ts';
import { ReadFailure } from './call-provider.ts';
import type { FetchRequest } from './fetch-object.ts';
import type { DueRead } from './read-queries.ts';
import type { ReadEntry } from './read-readers.ts';
import type { Values } from './template.ts';

/** A webhook can be of another account than the credentials: its object would be taken for one of ours. */
export function requireSameAccount({ same_account }: ReadEntry, { variables, credentials }: FetchRequest): void {
  for (const [variable, field] of Object.entries(same_account ?? {})) {
    const [named, own] = [variables[variable], credentials[field]].map((text) => String(text ?? '').toLowerCase());
    if (own === '' || named === own) continue;
    throw new ReadFailure(
      'failed',
      `The delivery is about the ${variable} ${String(variables[variable])}, and the credentials of this integration are of another: connect that one as an integration of its own, with its own credentials.`,
    );
  }
}

/** About a minute of back-off. */
const MAX_EARLY_READS = 5;
const NOT_SHOWN_YET = 'The venue system has announced a version that it does not show yet.';

/**
 * A system may show a change later than it announces it, so an older answer is read again. After some tries the answer
 * counts as it is, because its times may not be comparable.
 */
export function requireAnnouncedVersion(entry: ReadEntry, read: DueRead, document: Values): void {
  const { answer_version, version_as } = entry;
  if (answer_version === undefined || read.wanted_version === null || read.attempts >= MAX_EARLY_READS) return;
  const shown = versionOf(textOf(valueAt({ root: document, bound: [] }, answer_version)), version_as);
  if (shown !== null && shown < BigInt(read.wanted_version)) throw new ReadFailure('later', NOT_SHOWN_YET);
}
