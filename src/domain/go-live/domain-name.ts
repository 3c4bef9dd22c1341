// The name of a domain that a venue says is its own: in small letters, with international names in their ASCII form
// (punycode), and without the point at its end. Refused are addresses, single labels, and suffixes under which names are
// registered. A mail address shows a domain only where the public cannot get one.

import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import { conflict, type FieldProblem, invalid } from '../../base/errors.ts';
import { isPublicMailProvider, isPublicSuffix } from './public-domains.ts';

const MAX_LENGTH = 253;
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
/** The last label of a name is never a number: that would be an address. */
const LAST_LABEL = /^(?:[a-z]{2,63}|xn--[a-z0-9-]{1,59})$/;

/** Throws 422 at /domain. */
export function requireDomain(text: string): string {
  const name = domainToASCII(text.trim().replace(/\.$/, ''));
  const reason = refusal(text, name);
  if (reason === null) return name;
  throw invalid([problem('/domain', reason)]);
}

function refusal(text: string, name: string): string | null {
  if (isIP(text.trim().replace(/^\[|\]$/g, '')) !== 0 || isIP(name) !== 0)
    return 'An IP address is no domain: give the name of the venue’s own site.';
  if (name.length > MAX_LENGTH) return `A domain has at most ${MAX_LENGTH} characters.`;
  const labels = name.split('.');
  const isName = labels.every((label) => LABEL.test(label)) && LAST_LABEL.test(labels.at(-1) ?? '');
  if (!isName) return 'This is not the name of a domain: give the name alone, without https:// and without a path.';
  if (labels.length < 2) return 'A domain has at least two parts, separated by a point.';
  if (isPublicSuffix(name))
    return `Names are registered below ${name}, so that it belongs to no venue: give the whole name.`;
  return null;
}

/** A mail address shows the domain that it is at, unless the public can get one there. Throws 422 at /email. */
export function requireMailAtDomain(email: string, domain: string): void {
  if (isPublicMailProvider(domain))
    throw conflict(
      'domain_of_the_public',
      `Mail addresses at ${domain} are given to the public, so that none shows whose the domain is: add the DNS record.`,
    );
  const at = domainToASCII(email.slice(email.lastIndexOf('@') + 1));
  if (at === domain) return;
  const message = isPublicMailProvider(at)
    ? `Mail addresses at ${at} are given to the public: use one at ${domain}.`
    : `This mail address is not at ${domain}.`;
  throw invalid([problem('/email', message, `a mail address at ${domain}`, `hello@${domain}`)]);
}

function problem(
  field: string,
  message: string,
  expected = 'the name of a domain that the venue has registered',
  example_fix = 'covepine.example',
): FieldProblem {
  return { code: 'invalid_value', field, message, expected, example_fix };
}
