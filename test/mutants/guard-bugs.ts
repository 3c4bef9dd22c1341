// Bugs in what nobody gets past, and in whose version of a thing counts.

import type { Mutant } from './list.ts';

const ADMIT = 'src/domain/keys/functions/admit.sql';
const OFFERINGS = 'src/domain/offerings/upsert-offerings.ts';

export const GUARD_BUGS: readonly Mutant[] = [
  {
    area: 'walls',
    bug: 'a checkout of another venue is shown at the gate',
    file: ADMIT,
    from: 'where c.venue_id = admit.venue_id and c.checkout_id = p_checkouts[admit.place]',
    to: 'where c.checkout_id = p_checkouts[admit.place]',
    tests: ['test/checkouts/read-prefetch.test.ts', 'test/walls/foreign.test.ts'],
  },
  {
    area: 'walls',
    bug: 'the keys of a revoked venue open the door',
    file: ADMIT,
    from: 'where r.key_hash = v_hash and k.revoked_at is null and v.revoked_at is null',
    to: 'where r.key_hash = v_hash and k.revoked_at is null',
    tests: ['test/http/keys.test.ts', 'test/walls/revoked.test.ts'],
  },
  {
    area: 'walls',
    bug: 'X-Forwarded-For is believed of anybody',
    file: 'src/http/server.ts',
    from: '...(config.trustedProxies.length > 0 ? { trustProxy: [...config.trustedProxies] } : {}),',
    to: 'trustProxy: true,',
    tests: ['test/http/keys.test.ts'],
  },
  {
    area: 'walls',
    bug: 'a sealed secret opens in any row',
    file: 'src/base/seal.ts',
    from: '.setAAD(Buffer.from(row))',
    places: 2,
    to: '',
    tests: ['test/base/base.test.ts'],
  },
  {
    area: 'walls',
    bug: 'any page may frame the page on which a guest pays',
    file: 'src/http/pages/layout.ts',
    from: `  "frame-ancestors 'none'",\n`,
    to: '',
    tests: ['test/pages/pages.test.ts'],
  },
  {
    area: 'guests',
    bug: 'a token that was made for another service is good',
    file: 'src/domain/members/tokens.ts',
    from: '      audience: foreign.audience,\n',
    to: '',
    tests: ['test/guests/issuer.test.ts'],
  },
  {
    area: 'catalogue',
    bug: 'a new title is seen before it was reviewed',
    file: OFFERINGS,
    from: 'else visible[name] = before.approved[name];',
    to: 'else visible[name] = content[name];',
    tests: ['test/http/offerings.test.ts'],
  },
  {
    area: 'catalogue',
    bug: 'a changed title needs no review',
    file: OFFERINGS,
    from: "return { status: isVisible ? 'approved' : 'pending', reviewNote: null };",
    to: "return { status: isVisible ? 'approved' : before.status, reviewNote: null };",
    tests: ['test/http/offerings.test.ts'],
  },
  {
    area: 'hooks',
    bug: 'an older delivery that comes late undoes a newer one',
    file: 'src/domain/hooks/delivery-order.ts',
    from: '    return version < BigInt(known.version);',
    to: '    return false;',
    tests: ['test/hooks/apply.test.ts'],
  },
  {
    area: 'hooks',
    bug: 'the newest delivery of a venue system is applied before those that it builds on',
    file: 'src/domain/hooks/deliveries/queries.ts',
    from: 'w.due_at is not null order by w.received_at limit 1',
    to: 'w.due_at is not null order by w.received_at desc limit 1',
    tests: ['test/hooks/apply.test.ts'],
  },
  {
    area: 'limits',
    bug: 'the venue systems of a venue may store without end',
    file: 'src/domain/hooks/functions/store_inbound.sql',
    from: 'if p_max_bytes < octet_length(p_body) + (',
    to: 'if p_max_bytes < octet_length(p_body) * 0 + 0 * (',
    tests: ['test/hooks/retention.test.ts'],
  },
  {
    area: 'walls',
    bug: 'a field of the answer may be sent in a request',
    file: 'schemas/v1/webhook_endpoint.json',
    from: '"additionalProperties": false,',
    to: '"additionalProperties": true,',
    tests: ['test/http/webhook-endpoints.test.ts'],
  },
];
