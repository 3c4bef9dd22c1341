// Looks for the verification record of a domain in DNS, and says what was found instead. The record counts at
// `_everyshare.<domain>`, where it stands alone, and at the domain itself.

import type { LookUpText, TextRecords } from '../../base/outbound/text-records.ts';
import type { CheckResult } from './queries.ts';

const MAX_SHOWN = 10;
/** The length of one string of a TXT record. */
const MAX_SHOWN_LENGTH = 255;

export function recordName(domain: string): string {
  return `_everyshare.${domain}`;
}

export function recordValue(token: string): string {
  return `everyshare-verification=${token}`;
}

export interface RecordCheck {
  readonly result: CheckResult;
  /** The values that are there, when the right one is not among them. */
  readonly found: readonly string[];
}

export async function lookUpRecord(lookUp: LookUpText, domain: string, token: string): Promise<RecordCheck> {
  const [own, apex] = await Promise.all([lookUp(recordName(domain)), lookUp(domain)]);
  const values = [...valuesOf(own), ...valuesOf(apex)];
  // Some registrars keep the quotation marks that a person typed.
  const wanted = recordValue(token);
  if (values.some((value) => value.trim().replace(/^"(.*)"$/, '$1') === wanted)) return { result: 'found', found: [] };
  return {
    result: resultOf(own, apex),
    found: values.slice(0, MAX_SHOWN).map((value) => value.slice(0, MAX_SHOWN_LENGTH)),
  };
}

function valuesOf(records: TextRecords): readonly string[] {
  return records.outcome === 'values' ? records.values : [];
}

/** An answer that says something comes before a missing one; a missing one may hide the record. */
function resultOf(own: TextRecords, apex: TextRecords): CheckResult {
  const outcomes = [own.outcome, apex.outcome];
  if (outcomes.includes('values')) return 'other_values';
  if (outcomes.includes('timeout')) return 'timeout';
  if (outcomes.includes('failed')) return 'failed';
  // A name server that answers "no such name" for the domain itself does not know the domain at all.
  return apex.outcome === 'no_domain' ? 'no_domain' : 'no_record';
}

/** What the last look-up says, in one or two sentences. */
export function checkMessage(result: CheckResult, domain: string): string {
  switch (result) {
    case 'found':
      return `The record of ${domain} was found.`;
    case 'no_domain':
      return `There is no domain ${domain} in DNS. Check its spelling; a new domain can take some hours.`;
    case 'no_record':
      return `${domain} has no TXT record yet, neither at ${recordName(domain)} nor at the domain itself. A new record can take an hour.`;
    case 'other_values':
      return `There are TXT records of ${domain}, but not with this value. Compare it, and remove what was added before and after it.`;
    case 'timeout':
      return `The name servers of ${domain} did not answer in time. Try again in a minute.`;
    case 'failed':
      return `The name servers of ${domain} answered with an error. Try again in a minute; if it stays, ask the provider of the domain.`;
  }
}
