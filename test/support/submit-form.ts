// Sends a form of a hosted page as a browser does: follows the redirect, with the cookies that the answer has set.

import type { HttpResponse, TestWorld } from './test-world.ts';

export async function submitForm(
  world: TestWorld,
  path: string,
  fields: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
): Promise<HttpResponse> {
  const sent = await world.call('POST', path, {
    body: new URLSearchParams(fields).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
  });
  const location = sent.headers.get('location');
  if (sent.status !== 303 || location === null)
    throw new Error(`POST ${path} answered ${sent.status} instead of a redirect`);
  const set = sent.headers.getSetCookie().map((cookie) => cookie.split(';')[0] ?? '');
  const names = set.map((cookie) => cookie.split('=')[0]);
  const kept = (headers.cookie ?? '').split('; ').filter((cookie) => !names.includes(cookie.split('=')[0]));
  return world.call('GET', location, { headers: { ...headers, cookie: [...kept, ...set].join('; ') } });
}
