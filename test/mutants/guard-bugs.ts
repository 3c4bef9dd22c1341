// Bugs in checks that must refuse a key, a token, a page or a body, and in which version of a listing counts.

import type { Mutant } from './list.ts';

const ADMIT = 'src/domain/keys/functions/admit.sql';
const OFFERINGS = 'src/domain/offerings/upsert-offerings.ts';

export const GUARD_BUGS: readonly Mutant[] = [
  {
    area: 'walls',
    bug: 'admission prefetches a checkout of another venue',
    file: ADMIT,
    from: 'where c.venue_id = admit.venue_id and c.checkout_id = p_checkouts[admit.position]',
    to: 'where c.checkout_id = p_checkouts[admit.position]',
    tests: ['test/checkouts/read-prefetch.test.ts', 'test/walls/foreign.test.ts'],
  },
  {
    area: 'walls',
    bug: 'the keys of a revoked venue are accepted',
    file: ADMIT,
    from: 'where r.key_hash = v_hash and k.revoked_at is null and v.revoked_at is null',
    to: 'where r.key_hash = v_hash and k.revoked_at is null',
    tests: ['test/http/keys.test.ts', 'test/walls/revoked.test.ts'],
  },
  {
    area: 'walls',
    bug: 'X-Forwarded-For is trusted from any address',
    file: 'src/http/server.ts',
    from: '...(config.trustedProxies.length > 0 ? { trustProxy: [...config.trustedProxies] } : {}),',
    to: 'trustProxy: true,',
    tests: ['test/http/keys.test.ts'],
  },
  {
    area: 'walls',
    bug: 'a sealed secret can be opened in another row',
    file: 'src/base/seal.ts',
    from: '.setAAD(Buffer.from(row))',
    places: 2,
    to: '',
    tests: ['test/base/base.test.ts'],
  },
  {
    area: 'walls',
    bug: 'any web page can frame the page on which a guest pays',
    file: 'src/http/pages/layout.ts',
    from: `  "frame-ancestors 'none'",\n`,
    to: '',
    tests: ['test/pages/pages.test.ts'],
  },
  {
    area: 'guests',
    bug: 'a token for another audience is accepted',
    file: 'src/domain/members/tokens.ts',
    from: '      audience: memberIssuer.audience,\n',
    to: '',
    tests: ['test/guests/issuer.test.ts'],
  },
  {
    area: 'catalogue',
    bug: 'a new title is visible before its review',
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
    bug: 'a late delivery overwrites a newer one',
    file: 'src/domain/hooks/delivery-order.ts',
    from: '    return version < BigInt(known.version);',
    to: '    return false;',
    tests: ['test/hooks/apply.test.ts'],
  },
  {
    area: 'hooks',
    bug: 'the newest delivery of an integration is applied before the older ones',
    file: 'src/domain/hooks/deliveries/queries.ts',
    from: 'w.due_at is not null order by w.received_at limit 1',
    to: 'w.due_at is not null order by w.received_at desc limit 1',
    tests: ['test/hooks/apply.test.ts'],
  },
  {
    area: 'limits',
    bug: 'the integrations of a venue have no storage limit',
    file: 'src/domain/hooks/functions/store_inbound.sql',
    from: 'if p_max_bytes < octet_length(p_body) + (',
    to: 'if p_max_bytes < octet_length(p_body) * 0 + 0 * (',
    tests: ['test/hooks/retention.test.ts'],
  },
  {
    area: 'walls',
    bug: 'a request body may carry unknown fields',
    file: 'schemas/v1/webhook_endpoint.json',
    from: '"additionalProperties": false,',
    to: '"additionalProperties": true,',
    tests: ['test/http/webhook-endpoints.test.ts'],
  },
];
