import { createHmac, timingSafeEqual } from 'node:crypto';

/** `body` is the raw body, as received: in Express, use express.raw({ type: 'application/json' }). */
export function verify(body: string | Buffer, header: string, secret: string, now = Date.now() / 1000): boolean {
  const parts = header.split(',').map((part) => part.split('=', 2));
  const t = parts.find(([name]) => name === 't')?.[1] ?? '';
  if (!/^\d+$/.test(t) || Math.abs(now - Number(t)) > 300) return false;
  const expected = createHmac('sha256', secret).update(`${t}.`).update(body).digest();
  return parts.some(([name, hex = '']) => {
    const given = Buffer.from(hex, 'hex');
    return name === 'v1' && given.length === expected.length && timingSafeEqual(given, expected);
  });
}
