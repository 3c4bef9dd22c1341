// The first call of a newcomer, ready to paste: the key is already in it.

import type { CheckoutCreate } from '../../../../sdk/src/types.gen.ts';
import { longDay } from '../../ui/format.ts';

const DAY_MS = 24 * 3_600_000;
const PARTY_SIZE = 6;

/** `origin`: a registered one, to which guests return. */
export function firstCheckout(origin: string, bookingId: string): CheckoutCreate {
  const payBy = new Date(Date.now() + DAY_MS);
  payBy.setUTCMinutes(0, 0, 0);
  return {
    amount: 24_000,
    currency: 'usd',
    party_size: PARTY_SIZE,
    pay_by: payBy.toISOString().replace('.000', ''),
    description: `Cabana 3, ${longDay(payBy.getTime()).split(',')[0]}`,
    return_url: `${origin}/thanks`,
    external_booking_id: bookingId,
  };
}

export const LANGUAGES = ['curl', 'TypeScript', 'Agent (MCP)'] as const;
export type Language = (typeof LANGUAGES)[number];

export function firstCall(language: Language, key: string, body: CheckoutCreate): string {
  if (language === 'curl')
    return [
      `curl ${location.origin}/v1/checkouts \\`,
      `  -H "Authorization: Bearer ${key}" \\`,
      '  -H "Content-Type: application/json" \\',
      `  -d '${JSON.stringify(body, null, 2).replaceAll("'", "'\\''").replaceAll('\n', '\n  ')}'`,
    ].join('\n');
  if (language === 'TypeScript')
    return [
      "import { Everyshare } from '@everyshare/sdk';",
      '',
      'const everyshare = new Everyshare({',
      `  apiKey: '${key}',`,
      `  baseUrl: '${location.origin}',`,
      '});',
      `const checkout = await everyshare.checkouts.create(${JSON.stringify(body, null, 2)});`,
      'console.log(checkout.url);',
    ].join('\n');
  return [
    `claude mcp add --transport http everyshare ${location.origin}/mcp \\`,
    `  --header "Authorization: Bearer ${key}"`,
    '',
    '# Then ask your agent:',
    `# Create a checkout of $240.00 for 6 guests, "${body.description}", booking ${body.external_booking_id},`,
    `# to be paid by ${body.pay_by}; guests return to ${body.return_url}`,
  ].join('\n');
}
