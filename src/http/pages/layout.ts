// The layout of every hosted page: head, poster, footer and security headers. No inline script or style, no framing, no
// referrer, and nothing from another origin except Stripe's form when Stripe is the processor.

import { createHash } from 'node:crypto';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { FastifyReply } from 'fastify';
import type { VenueProfile } from '../../domain/venues/venue-profile.ts';
import { acceptedEncoding, type ContentEncoding } from '../content-encoding.ts';
import { assetUrl, themeUrl } from './assets.ts';
import { type Html, html, type Piece } from './html.ts';
import { icon } from './icon.ts';
import type { PageRequest } from './page-request.ts';
import { languageMenu, testPill } from './poster.ts';

export interface PageContent {
  readonly status?: number;
  readonly title: string;
  /** A form has an error: the title begins with it. */
  readonly hasError?: boolean;
  /** For link previews: venue and title, never names or amounts. */
  readonly preview?: { readonly title: string; readonly about: string; readonly image: string } | null;
  /** Null: the page belongs to no checkout. */
  readonly path: string | null;
  /** The head of a booking's page; null: the page belongs to no booking, and shows the service's name. */
  readonly poster?: Html | null;
  /** Of the poster: how it looks on a phone. */
  readonly look?: 'compact' | 'over' | null;
  readonly main: Piece;
  /** The main button of a long page, at the bottom edge. */
  readonly bar?: Piece;
  readonly mode?: 'test' | 'live' | null;
  /** The state may change without the guest: the page polls for it. */
  readonly shouldPoll?: boolean;
  readonly paysWithStripe?: boolean;
  /** In addition to guest.js, which every page has. */
  readonly scripts?: readonly string[];
  /** The venue's colour, terms and contacts. Null: those of the service. */
  readonly venue?: VenueProfile | null;
}

const BASE_POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self' data:",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
];
/** As Stripe documents for Stripe.js, without the maps of its Address Element: docs.stripe.com/security/guide. */
const STRIPE_SOURCES = 'https://js.stripe.com https://*.js.stripe.com';

function contentSecurityPolicy(paysWithStripe: boolean): string {
  const more = paysWithStripe
    ? [
        `script-src 'self' ${STRIPE_SOURCES}`,
        `frame-src ${STRIPE_SOURCES} https://hooks.stripe.com`,
        "connect-src 'self' https://api.stripe.com",
      ]
    : ["script-src 'self'", "connect-src 'self'"];
  return [...BASE_POLICY, ...more].join('; ');
}

export function setSecurityHeaders(reply: FastifyReply, paysWithStripe = false): FastifyReply {
  const payment = paysWithStripe ? '(self "https://js.stripe.com" "https://*.js.stripe.com")' : '()';
  return reply
    .header('content-security-policy', contentSecurityPolicy(paysWithStripe))
    .header('referrer-policy', 'no-referrer')
    .header('permissions-policy', `payment=${payment}, camera=(), microphone=(), geolocation=()`)
    .header('cross-origin-opener-policy', 'same-origin-allow-popups')
    .header('x-robots-tag', 'noindex')
    .header('cache-control', 'no-store');
}

/** Answers 304 if the page has not changed, so that polling costs little traffic. */
export function sendPage(page: PageRequest, content: PageContent): FastifyReply {
  const { request, reply, translator } = page;
  const text = `<!doctype html>\n${documentOf(page, content).text}\n`;
  const etag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 27)}"`;
  setSecurityHeaders(reply, content.paysWithStripe)
    .header('etag', etag)
    .header('content-language', translator.language);
  if (request.method === 'GET' && request.headers['if-none-match'] === etag) return reply.code(304).send();
  reply.code(content.status ?? 200).type('text/html; charset=utf-8');
  const encoding = acceptedEncoding(request.headers['accept-encoding']);
  if (encoding === null) return reply.send(text);
  return reply.header('content-encoding', encoding).send(compressText(text, encoding));
}

/** Fast rather than small: the page is made for one answer. */
const FAST_BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };

function compressText(text: string, encoding: ContentEncoding): Buffer {
  return encoding === 'br' ? brotliCompressSync(text, FAST_BROTLI) : gzipSync(text);
}

function documentOf(page: PageRequest, content: PageContent): Html {
  const { translator } = page;
  const { preview = null, poster = null, look = null, bar = null } = content;
  const classes = poster === null ? 'plain' : `page${look === null ? '' : ` ${look}`}`;
  return html`<html lang="${translator.language}" dir="${translator.direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${content.hasError === true && html`${translator.translate('page.trouble_title')}: `}${content.title}</title>
<meta name="color-scheme" content="light dark">
${
  preview !== null &&
  html`<meta property="og:title" content="${preview.title}">
<meta property="og:description" content="${preview.about}">
<meta property="og:image" content="${preview.image}">
<meta property="og:type" content="website">
`
}<link rel="icon" href="/docs/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${assetUrl('guest.css')}">
${
  content.venue?.accentColor != null &&
  html`<link rel="stylesheet" href="${themeUrl(content.venue.accentColor)}">
`
}${['guest.js', ...(content.scripts ?? [])].map((name) => html`<script type="module" src="${assetUrl(name)}"></script>\n`)}${content.shouldPoll === true && html`<noscript><meta http-equiv="refresh" content="20"></noscript>\n`}</head>
<body${content.shouldPoll === true && html` data-poll="${content.path}"`}>
<a class="skip" href="#main">${translator.translate('page.skip')}</a>
<p class="banner" id="offline" role="alert" hidden>${translator.translate('page.offline')}</p>
<div class="${classes}">
${poster ?? plainHeader(page, content)}
<main id="main" tabindex="-1">
${content.main}
</main>
${bar}${footer(page, content)}
</div>
</body>
</html>`;
}

function plainHeader(page: PageRequest, { path, mode = null }: PageContent): Html {
  return html`<header><p class="brand">Everyshare</p>${testPill(page, mode)}${path !== null && languageMenu(page, path)}</header>`;
}

function footer(page: PageRequest, content: PageContent): Html {
  const { translator, member } = page;
  const signOut =
    member !== null &&
    content.path !== null &&
    html`<form method="post" action="${content.path}/sign-out"><p>${translator.translate('page.signed_in_as', {
      name: member.displayName ?? translator.translate('page.nameless'),
    })} <button class="link">${translator.translate('page.sign_out')}</button></p></form>`;
  return html`<footer>
<p class="by">${icon('lock')}<span>${translator.translate('page.by')}</span></p>
${legalLinks(page, content)}${signOut}</footer>`;
}

/** Who takes the payment, and what applies: the venue's own terms and contact, or those of the service. */
function legalLinks({ http, translator }: PageRequest, { venue = null }: PageContent): Piece {
  const { termsUrl, privacyUrl, supportUrl } = http.app.config;
  const links: readonly (readonly [string | null, string])[] = [
    [venue === null ? termsUrl : venue.termsUrl, translator.translate('page.terms')],
    [venue === null ? privacyUrl : venue.privacyUrl, translator.translate('page.privacy')],
    venue === null
      ? [supportUrl, translator.translate('page.help')]
      : [contactUrl(venue), translator.translate('page.contact', { venue: venue.name })],
  ];
  const items = links.flatMap(([url, text]) =>
    url === null ? [] : [html`<li><a href="${url}" rel="noreferrer">${text}</a></li>`],
  );
  return items.length > 0 && html`<ul class="legal">${items}</ul>\n`;
}

export function contactUrl({ support }: VenueProfile): string | null {
  if (support.url !== null) return support.url;
  if (support.email !== null) return `mailto:${support.email}`;
  return support.phone === null ? null : `tel:${support.phone.replaceAll(/[^+0-9]/g, '')}`;
}
