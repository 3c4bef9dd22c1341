// Tries the built package under the runtime that runs this file (node, bun, deno), against a real server with a test key:
// EVERYSHARE_URL=http://127.0.0.1:8080 EVERYSHARE_API_KEY=svc_test_… node sdk/smoke.mjs

import { Everyshare, NotFoundError, SignatureVerificationError, webhooks } from './dist/everyshare.js';

const env = globalThis.process?.env ?? {};
const client = new Everyshare({ apiKey: env.EVERYSHARE_API_KEY ?? '', baseUrl: env.EVERYSHARE_URL ?? '' });

function check(what, isRight) {
  if (!isRight) throw new Error(`this is wrong: ${what}`);
}

const me = await client.me.retrieve();
check('the key is a test key', me.mode === 'test');

const stop = new AbortController();
// The stream is open before the checkout is created, so it gets the event. Without it, this program waits and fails.
const timer = setTimeout(() => stop.abort(new Error('the stream did not get the event')), 20_000);
const received = deferred();
const stream = client.events.stream({ signal: stop.signal, onOpen: () => void create().catch(received.reject) });
async function create() {
  const created = await client.checkouts.create({
    amount: 24_000,
    currency: 'usd',
    party_size: 2,
    pay_by: new Date(Date.now() + 3_600_000).toISOString(),
    description: 'Smoke test',
    return_url: env.EVERYSHARE_RETURN_URL ?? 'https://example.com/thanks',
    external_booking_id: `smoke-${Date.now()}`,
  });
  received.resolve(created);
}
function deferred() {
  const parts = {};
  parts.promise = new Promise((resolve, reject) => Object.assign(parts, { resolve, reject }));
  return parts;
}
let checkout;
// Other programs may use the venue at the same time: theirs are left out.
for await (const event of stream) {
  checkout = await received.promise;
  if (event.data.object.id === checkout.id) break;
}
clearTimeout(timer);
check('the stream gets the event of a new checkout', !stop.signal.aborted);
const { data, rateLimit } = await client.checkouts.retrieve(checkout.id).withResponse();
check('the checkout is open, and the rate limit is known', data.status === 'open' && rateLimit !== null);
const [first] = await client.checkouts.list({ limit: 1 }).toArray({ limit: 1 });
check('the list begins with it', first?.id === checkout.id);
check('a checkout can be canceled', (await client.checkouts.cancel(checkout.id)).status === 'canceled');

const missing = await client.checkouts.retrieve('chk_none').catch((error) => error);
check('an unknown id is a NotFoundError', missing instanceof NotFoundError && missing.requestId !== null);

const payload = '{"id":"evt_1","object":"event","type":"checkout.completed"}';
const secret = `whsec_${btoa('x'.repeat(32))}`;
const headers = await webhooks.generateTestHeaders({ payload, secret });
check('a delivery is verified', (await webhooks.constructEvent(payload, headers, secret)).id === 'evt_1');
const refused = await webhooks.constructEvent(`${payload} `, headers, secret).catch((error) => error);
check('a changed delivery is refused', refused instanceof SignatureVerificationError);

const { process, Bun, Deno } = globalThis;
const runtime = Bun ? `Bun ${Bun.version}` : Deno ? `Deno ${Deno.version.deno}` : `Node ${process?.version}`;
// biome-ignore lint/suspicious/noConsole: its output is its result.
console.log(`the SDK works under ${runtime}`);
