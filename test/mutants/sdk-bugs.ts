// Bugs of the SDK: what it sends again, what it verifies, and what it leaves out of lists and streams.

import type { Mutant } from './list.ts';

const API = 'sdk/src/api.ts';
const REQUESTS_TEST = 'test/sdk/requests.test.ts';
const WEBHOOKS = 'sdk/src/webhooks.ts';
const WEBHOOKS_TEST = 'test/sdk/webhooks.test.ts';
const STREAM = 'sdk/src/event-stream.ts';
const STREAM_TEST = 'test/sdk/event-stream.test.ts';

export const SDK_BUGS: readonly Mutant[] = [
  {
    area: 'idempotency',
    bug: 'the SDK makes another Idempotency-Key for each retry',
    file: API,
    from: 'await this.#attempt(url, { ...request, body }, headers, options, read)',
    to: 'await this.#attempt(url, { ...request, body }, await this.#headersOf(request, options), options, read)',
    tests: [REQUESTS_TEST],
  },
  {
    area: 'idempotency',
    bug: 'the SDK repeats a write without a key after a cut connection',
    file: API,
    from: 'if (!wasRefused && !(isUnknown && isSafe)) return null;',
    to: 'if (!wasRefused && !isUnknown) return null;',
    tests: [REQUESTS_TEST],
  },
  {
    area: 'limits',
    bug: 'the SDK does not wait for Retry-After',
    file: API,
    from: 'return backoff(retries) + (retryAfter ?? 0) * 1000;',
    to: 'return backoff(retries);',
    tests: [REQUESTS_TEST],
  },
  {
    area: 'walls',
    bug: 'the SDK follows a redirect with the key',
    file: API,
    from: "redirect: 'manual'",
    to: "redirect: 'follow'",
    tests: [REQUESTS_TEST],
  },
  {
    area: 'walls',
    bug: 'the SDK’s receiver accepts a delivery that was signed for later',
    file: WEBHOOKS,
    from: 'if (Math.abs(age) <= tolerance) return;',
    to: 'if (age <= tolerance) return;',
    tests: [WEBHOOKS_TEST],
  },
  {
    area: 'walls',
    bug: 'the SDK’s receiver accepts every signature',
    file: WEBHOOKS,
    from: "if (await subtle.verify('HMAC', key, signature, bytes)) return true;",
    to: "if ((await subtle.verify('HMAC', key, signature, bytes)) !== undefined) return true;",
    tests: [WEBHOOKS_TEST],
  },
  {
    area: 'events',
    bug: 'the SDK’s stream begins anew after a break, and leaves out what happened meanwhile',
    file: STREAM,
    from: 'this.lastEventId = id;',
    to: 'this.lastEventId ??= undefined;',
    tests: [STREAM_TEST],
  },
  {
    area: 'events',
    bug: 'the SDK’s stream hands out an event twice after a break',
    file: STREAM,
    from: 'if (!this.#seen.has(message.id)) {',
    to: "if (!this.#seen.has('')) {",
    tests: [STREAM_TEST],
  },
];
