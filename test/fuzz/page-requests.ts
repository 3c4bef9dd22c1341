// Draws requests to every address that is not an operation: hosted pages and their forms, published documents, sandbox
// pages and operators' addresses. A test compares this list with the server's routes.

import { PROVIDERS } from './connections.ts';
import { ORIGIN } from './keys.ts';
import {
  addOddHeader,
  clientAddress,
  type Draft,
  drawId,
  finishDraft,
  HOSTILE_SEGMENTS,
  type RequestContext,
  setOddMethod,
  setOddPath,
} from './request-draft.ts';
import type { Request } from './send.ts';

/** The hash of a picture that the fixture stores. */
export const IMAGE_HASH = 'f'.repeat(64);

const FORMS = [
  'sign-in',
  'code',
  'other-phone',
  'sign-out',
  'name',
  'party',
  'seat',
  'receipt',
  'remind',
  'leave',
  'remove',
  'look',
];

/** In the router's notation. */
export const PAGES: readonly string[] = [
  ...['/c/:id', '/s/:token'].flatMap((page) => [
    `GET ${page}`,
    `GET ${page}/changes`,
    ...FORMS.flatMap((form) => [`GET ${page}/${form}`, `POST ${page}/${form}`]),
  ]),
  'GET /c/:id/event.ics',
  'GET /c/:id/preview.jpg',
  'GET /guest/images/:file',
  'GET /guest/theme/:file',
  'GET /payouts/:token',
  'GET /payouts/:token/done',
  'POST /session/token',
  'GET /guest/:name',
  'GET /embed/:name',
  'GET /.well-known/jwks.json',
  'GET /sandbox/outbox',
  'POST /sandbox/outbox',
  'GET /sandbox/cards',
  'GET /sandbox/processor/*',
  'POST /sandbox/processor/*',
  'GET /schemas/v1/index.json',
  'GET /schemas/v1/mappings/:file',
  'GET /schemas/v1/:file',
  'GET /v1/openapi.json',
  'GET /console/openapi.json',
  'GET /',
  'GET /console',
  'GET /console/*',
  'GET /console/assets/:file',
  'GET /desk',
  'GET /desk/*',
  'GET /llms.txt',
  'GET /docs',
  'GET /docs.md',
  'GET /docs/:page',
  'GET /docs/:folder/:name',
  'GET /docs/',
  'GET /docs/:page/',
  'GET /docs/:folder/:name/',
  'GET /docs/guides',
  'GET /docs/search',
  'GET /docs/search-index.json',
  'GET /docs/explorer',
  'GET /docs/scalar.js',
  'GET /docs/site.css',
  'GET /docs/site.js',
  'GET /docs/search-rank.js',
  'GET /docs/explorer.css',
  'GET /docs/explorer.js',
  'GET /docs/icon.svg',
  'GET /healthz',
  'GET /readyz',
  'GET /metrics',
  'OPTIONS /v1/public/checkouts/:id',
  'OPTIONS /v1/public/checkouts/:id/progress',
  'OPTIONS /v1/public/checkouts/:id/progress/stream',
  'OPTIONS /v1/public/checkouts/:id/party',
  'OPTIONS /v1/public/checkouts/:id/receipt',
  'OPTIONS /v1/public/checkouts/:id/seat',
  'OPTIONS /v1/public/shares/:share_id/hold',
  'OPTIONS /v1/public/shares/:share_id/decline',
  'OPTIONS /v1/public/shares/:share_id/remove',
  'OPTIONS /v1/public/invites/decline',
  'OPTIONS /v1/public/shares/:share_id/remind',
  'OPTIONS /v1/public/sign_in',
  'OPTIONS /v1/public/sign_in/verify',
  'HEAD /v1/hooks/:provider/:token',
];

const NAMES_BY_FOLDER: Readonly<Record<string, readonly string[]>> = {
  '/docs': ['reference', 'errors.md', 'changelog', 'providers', 'x', '__proto__', '%2e%2e'],
  '/docs/:folder': ['payments', 'errors.md', 'square', 'not_found', 'createCheckout', '__proto__', 'x', '..'],
  '/schemas/v1/mappings': ['square.json', 'index.json', 'x.json', '.json', '__proto__.json'],
  '/schemas/v1': [
    'offering.json',
    'checkout.json',
    'fields.json',
    'x.json',
    '.json',
    'offering',
    '__proto__.json',
    '..%2fpackage.json',
  ],
  '/guest': ['guest.css', 'guest.js', 'pay.js', 'party.js', 'x', '%2e%2e%2fpackage.json', '__proto__', 'constructor'],
  '/embed': ['v1.js', 'v2.js', 'v1', 'x', '%2e%2e%2fpackage.json', '__proto__', 'constructor'],
  '/guest/images': [
    `${IMAGE_HASH}.webp`,
    `${'0'.repeat(64)}.webp`,
    `${'A'.repeat(64)}.webp`,
    '.webp',
    'x',
    '%2e%2e%2fguest.css',
    '__proto__',
  ],
  '/guest/theme': ['0f5486.css', 'ffffff.css', '0F5486.css', '0f548.css', '.css', 'x', '%2e%2e%2fguest.css'],
  '*': [
    'cards',
    'cards.json',
    'v1/payment_intents/pi_1',
    'v1/payment_intents',
    'v1/customers',
    '3ds/x',
    'style/x.css',
    '../v1/balance',
    '%2e%2e/v1/balance',
    'cards/../v1/x',
    '//x',
    'onboarding/x',
    '3ds/pi_1/x?token=x',
  ],
};

/** Request `turn` goes to the next page of the list. */
export function drawPageRequest(context: RequestContext, turn: number): Request {
  const { random, fixture, number } = context;
  const route = PAGES[turn % PAGES.length] ?? '';
  const [method = 'GET', template = '/'] = route.split(' ');
  const person = random.pick([...fixture.people, null]);
  const isForm = method === 'POST';
  const draft: Draft = {
    label: route,
    method,
    path: template
      .split('/')
      .map((segment) => fillSegment(context, segment, template.split('/').slice(0, -1).join('/')))
      .join('/'),
    query: random.often(0.85)
      ? ''
      : random.pick([
          'locale=de',
          'locale=x',
          'locale=__proto__',
          'locale=a&locale=b',
          'edit=party',
          'cover=x',
          'leave=own',
          'remove=x',
          'edit=party&cover=1',
          'edit=party&fix=x',
          '%ff=%ff',
          'key=sk_test_x',
          'v=1',
        ]),
    headers: {
      'x-forwarded-for': clientAddress(number),
      ...(person === null ? {} : { cookie: `everyshare_session=${person.session}` }),
      ...(isForm ? { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' } : {}),
      ...(template === '/' ? { accept: random.pick(['text/html,*/*;q=0.8', '*/*']) } : {}),
      ...(method === 'OPTIONS' ? { origin: ORIGIN, 'access-control-request-method': 'POST' } : {}),
    },
    body: isForm ? drawForm(context, template) : null,
  };
  // Metrics are for callers on the machine: one that came through a proxy gets none.
  if (template === '/metrics' && random.often(0.5)) delete draft.headers['x-forwarded-for'];
  if (template.includes('hooks') && random.often(0.8)) draft.path = random.pick(fixture.hooks).path;
  if (template.includes('processor') && isForm && random.often(0.7)) confirm(context, draft);
  if (random.often(0.2)) random.pick([addOddHeader, addOddHeader, setOddPath, setOddMethod])(context, draft);
  return finishDraft(context, draft);
}

function fillSegment(context: RequestContext, segment: string, folder: string): string {
  const { random, fixture } = context;
  if (segment === ':id') return random.often(0.5) ? random.pick(fixture.seats).checkout : drawId(context, 'checkouts');
  if (segment === ':share_id') return drawId(context, 'shares');
  if (segment === ':folder') return random.pick(['guides', 'providers', 'errors', 'reference', 'x']);
  if (segment === ':provider') return random.pick(PROVIDERS);
  if (segment === ':token') {
    const tokens = folder.startsWith('/payouts') ? fixture.onboardings : fixture.invites;
    return random.often(0.85) ? random.pick(tokens) : random.pick(HOSTILE_SEGMENTS);
  }
  const names = NAMES_BY_FOLDER[folder] ?? NAMES_BY_FOLDER[segment];
  return names === undefined || !/^[:*]/.test(segment)
    ? segment
    : random.often(0.85)
      ? random.pick(names)
      : random.pick(HOSTILE_SEGMENTS);
}

const ODD_FORMS = [
  '',
  '&',
  '=',
  '%',
  '%ff=%ff',
  'a=%00',
  'phone=%F0%9F%98%80',
  '{"phone":"x"}',
  'phone',
  `phone=${'9'.repeat(30_000)}`,
  'seats=1e9',
  'seen=%00',
  'do=send',
];

function drawForm(context: RequestContext, template: string): Buffer {
  const { random, fixture } = context;
  if (random.often(0.15)) return Buffer.from(random.pick(ODD_FORMS));
  if (random.often(0.03)) return random.bytes(200);
  if (random.often(0.02)) return Buffer.alloc(random.pick([32 * 1024, 32 * 1024 + 1, 70_000]), 'a');
  const form = new URLSearchParams();
  const formName = template.split('/').at(-1);
  const text = (): string =>
    random.pick([
      'Ada',
      '',
      ' ',
      '\u0000',
      '\u202eX',
      '<b>',
      '😀'.repeat(100),
      'x'.repeat(500),
      '__proto__',
      '+1 555 010 0001',
    ]);
  const phone = (): string =>
    random.pick([...fixture.people.map((one) => one.phone), '+15550100001', '5550100', '+', '00', text()]);
  if (formName === 'sign-in') form.set(random.pick(['phone', 'phone', 'phone', 'invited', 'again']), phone());
  else if (formName === 'code') form.set('code', random.pick(['000000', '123456', '1', ' 0 0 0 0 0 0', text()]));
  else if (formName === 'name') form.set('name', text());
  else if (formName === 'receipt') form.set('email', random.pick(['ben@mail.example', 'ben@', text()]));
  else if (['seat', 'look', 'remind', 'leave', 'remove'].includes(formName ?? ''))
    form.set('share', random.pick([...fixture.seats.map(({ share }) => share), ...(fixture.own.shares ?? []), text()]));
  else if (formName === 'party') fillParty(context, form, phone, text);
  else if (formName === 'outbox') {
    form.set('phone', phone());
    form.set('answer', random.pick(['STOP', 'START', 'HELP', text()]));
  } else form.set(text(), text());
  return Buffer.from(form.toString());
}

function fillParty(
  { random, fixture }: RequestContext,
  form: URLSearchParams,
  phone: () => string,
  text: () => string,
): void {
  form.set('do', random.pick(['send', 'send', 'next', 'back', 'add', 'remove:0', text()]));
  form.set('split', random.pick(['equal', 'equal', 'custom', text()]));
  form.set('seats', random.pick(['0', '1', '2', '-1', '99', '1e3', text()]));
  if (random.often(0.3)) form.set('seen', text());
  for (let n = random.below(4); n > 0; n--)
    form.append('member', random.pick([...fixture.people.map(({ id }) => id), text()]));
  if (random.often(0.4)) form.set('people', random.pick([`Ben ${phone()}`, `${text()};${phone()}\n,`, text()]));
  if (random.often(0.2)) form.set('warned', text());
  for (let n = random.below(3); n > 0; n--) {
    form.append('phone', phone());
    form.append('name', text());
  }
  if (random.often(0.3)) form.append('channel', random.pick([...(fixture.own.channels ?? []), text()]));
  for (const key of ['organizer', 'seat-1', '__proto__']) {
    if (random.often(0.3))
      form.set(`amount:${key}`, random.pick(['40', '40.50', '0', '-1', '1e9', '99999999', '$80', text()]));
  }
}

/** Makes it the confirmation of a card, as the page's script sends it. */
function confirm({ random, fixture }: RequestContext, draft: Draft): void {
  const { clientSecret: secret, publishableKey } = random.pick(fixture.intents);
  draft.path = `/sandbox/processor/v1/payment_intents/${secret.split('_secret_')[0]}/confirm`;
  const good = ['4242424242424242', '4242424242424242', '4000002760003184', '4000000000000002'];
  const card = random.pick([...good, '1', '', 'x'.repeat(900)]);
  const form = new URLSearchParams({
    key: random.often(0.9) ? publishableKey : random.pick(['pk_test_x', 'sk_test_x']),
    client_secret: random.often(0.9) ? secret : 'x',
    'payment_method_data[type]': 'card',
    'payment_method_data[card][number]': card,
    'payment_method_data[card][exp_month]': random.often(0.8) ? '12' : random.pick(['13', '-1', '']),
    'payment_method_data[card][exp_year]': random.often(0.8) ? '2034' : random.pick(['1999', 'x']),
    'payment_method_data[card][cvc]': '123',
  });
  draft.body = Buffer.from(form.toString());
}
