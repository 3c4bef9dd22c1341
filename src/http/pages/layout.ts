// What every hosted page has around it: head, ribbon, footer, and the headers that keep it to itself. No inline script or
// style, no framing, no referrer, nothing from elsewhere unless the card processor is the real one.

import { createHash } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import { languages } from '../../base/translations.ts';
import { assetUrl } from './assets.ts';
import { type Html, html, type Piece } from './html.ts';
import type { PageRequest } from './page-request.ts';

export interface Page {
  readonly status?: number;
  readonly title: string;
  /** Something typed is wrong: the title says so first. */
  readonly hasTrouble?: boolean;
  /** What a link preview shows: venue and title, never names or amounts. */
  readonly preview?: { readonly title: string; readonly about: string } | null;
  /** Null: of no checkout. */
  readonly path: string | null;
  readonly main: Piece;
  readonly mode?: 'test' | 'live' | null;
  /** The state may change by itself: the page looks again. */
  readonly isLive?: boolean;
  readonly paysWithStripe?: boolean;
  /** Besides the one that every page has. */
  readonly scripts?: readonly string[];
}

const OWN = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self' data:",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
];
const STRIPE = 'https://js.stripe.com https://*.js.stripe.com';

function policyOf(paysWithStripe: boolean): string {
  const more = paysWithStripe
    ? [
        `script-src 'self' ${STRIPE}`,
        `frame-src ${STRIPE} https://hooks.stripe.com`,
        "connect-src 'self' https://api.stripe.com",
      ]
    : ["script-src 'self'", "connect-src 'self'"];
  return [...OWN, ...more].join('; ');
}

export function guard(reply: FastifyReply, secure: boolean, paysWithStripe = false): FastifyReply {
  if (secure) reply.header('strict-transport-security', 'max-age=31536000');
  const payment = paysWithStripe ? '(self "https://js.stripe.com")' : '()';
  return reply
    .header('content-security-policy', policyOf(paysWithStripe))
    .header('referrer-policy', 'no-referrer')
    .header('permissions-policy', `payment=${payment}, camera=(), microphone=(), geolocation=()`)
    .header('cross-origin-opener-policy', 'same-origin-allow-popups')
    .header('x-robots-tag', 'noindex')
    .header('cache-control', 'no-store');
}

/** A page that has not changed is answered 304: a phone that looks every few seconds is hardly sent anything. */
export function sendPage(visit: PageRequest, page: Page): FastifyReply {
  const { request, reply, translator } = visit;
  const text = `<!doctype html>\n${documentOf(visit, page).text}\n`;
  const etag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 27)}"`;
  guard(reply, visit.secure, page.paysWithStripe).header('etag', etag).header('content-language', translator.language);
  if (request.method === 'GET' && request.headers['if-none-match'] === etag) return reply.code(304).send();
  return reply
    .code(page.status ?? 200)
    .type('text/html; charset=utf-8')
    .send(text);
}

function documentOf(visit: PageRequest, page: Page): Html {
  const { translator } = visit;
  const { preview = null } = page;
  return html`<html lang="${translator.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${page.hasTrouble === true && html`${translator.translate('page.trouble_title')}: `}${page.title}</title>
<meta name="color-scheme" content="light dark">
${
  preview !== null &&
  html`<meta property="og:title" content="${preview.title}">
<meta property="og:description" content="${preview.about}">
<meta property="og:type" content="website">
`
}<link rel="icon" href="/docs/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${assetUrl('guest.css')}">
${['guest.js', ...(page.scripts ?? [])].map((name) => html`<script type="module" src="${assetUrl(name)}"></script>\n`)}${page.isLive === true && html`<noscript><meta http-equiv="refresh" content="20"></noscript>\n`}</head>
<body${page.isLive === true && html` data-poll="${page.path}"`}>
<a class="skip" href="#main">${translator.translate('page.skip')}</a>
<header>
${ribbon(visit, page)}<p class="banner" id="offline" role="alert" hidden>${translator.translate('page.offline')}</p>
</header>
<main id="main" tabindex="-1">
${page.main}
</main>
${footer(visit, page)}
</body>
</html>`;
}

function ribbon({ http, translator }: PageRequest, { mode = null }: Page): Piece {
  if (http.app.processorAccess.sandboxUrl !== null)
    return html`<p class="ribbon">${translator.translate('page.sandbox')}</p>\n`;
  return mode === 'test' && html`<p class="ribbon">${translator.translate('page.test_mode')}</p>\n`;
}

function footer({ translator, member }: PageRequest, page: Page): Html {
  const links = languages().map((language) =>
    language === translator.language
      ? html`<span aria-current="true">${nameOf(language)}</span> `
      : html`<a href="${page.path}?locale=${language}" lang="${language}" hreflang="${language}">${nameOf(language)}</a> `,
  );
  const signOut =
    member !== null &&
    page.path !== null &&
    html`<form method="post" action="${page.path}/sign-out"><p>${translator.translate('page.signed_in_as', {
      name: member.displayName ?? translator.translate('page.nameless'),
    })} <button class="link">${translator.translate('page.sign_out')}</button></p></form>`;
  return html`<footer>
${signOut}${
  page.path !== null &&
  html`<nav class="languages" aria-label="${translator.translate('page.languages')}">${links}</nav>
`
}<p class="quiet">${translator.translate('page.by')}</p>
</footer>`;
}

function nameOf(language: string): string {
  const name = new Intl.DisplayNames([language], { type: 'language' }).of(language) ?? language;
  return name.charAt(0).toLocaleUpperCase(language) + name.slice(1);
}
