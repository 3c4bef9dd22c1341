// The page of the sandbox outbox: each mail with its address and text, and each text message with its phone, kind and text,
// and buttons for the answers STOP and START.

import type { FastifyReply } from 'fastify';
import { assetUrl } from './assets.ts';
import { type Html, html } from './html.ts';
import { setSecurityHeaders } from './layout.ts';

export interface OutboxMessage {
  readonly to: string;
  readonly kind: string;
  readonly status: string;
  readonly at: string;
  readonly text: string;
}

export interface OutboxMail extends OutboxMessage {
  readonly title: string;
}

export function sendOutbox(
  reply: FastifyReply,
  messages: readonly OutboxMessage[],
  mails: readonly OutboxMail[],
): FastifyReply {
  const page = html`<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Messages of the sandbox</title>
<meta name="color-scheme" content="light dark">
<link rel="icon" href="/docs/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${assetUrl('guest.css')}">
<script type="module" src="${assetUrl('guest.js')}"></script>
</head>
<body>
<p class="banner" id="offline" role="alert" hidden></p>
<div class="plain">
<header><p class="brand">Everyshare</p><p class="pill test">Sandbox: nothing here was sent</p></header>
<main id="main">
<h1>Text messages</h1>
<p class="hint">Newest first. Reload for more. The numbers +1 555 010 0000 to 0199 take the code 000000.</p>
${messages.length === 0 ? html`<p>Nothing was sent yet.</p>` : html`<ol class="messages">${messages.map(messageItem)}</ol>`}
${mails.length > 0 && html`<h2>Mails</h2>\n<ol class="messages">${mails.map(mailItem)}</ol>`}
</main>
</div>
</body>
</html>`;
  return setSecurityHeaders(reply)
    .header('cache-control', 'no-store')
    .type('text/html; charset=utf-8')
    .send(`<!doctype html>\n${page.text}\n`);
}

/** Turns URLs into links, as a phone does. */
function linkUrls(text: string): readonly (Html | string)[] {
  return text
    .split(/(https?:\/\/\S+)/)
    .map((part, index) => (index % 2 === 1 ? html`<a href="${part}">${part}</a>` : part));
}

function mailItem({ to, title, status, at, text }: OutboxMail): Html {
  return html`<li>
<p class="quiet"><strong>${to}</strong> &middot; ${status} &middot; <time datetime="${at}" data-local>${at}</time></p>
<p class="bubble"><strong>${title}</strong><br>${text.split('\n').map((line) => [linkUrls(line), html`<br>`])}</p>
</li>
`;
}

function messageItem({ to, kind, status, at, text }: OutboxMessage): Html {
  return html`<li>
<p class="quiet"><strong>${to}</strong> &middot; ${kind} &middot; ${status} &middot; <time datetime="${at}" data-local>${at}</time></p>
<p class="bubble">${linkUrls(text)}</p>
<form method="post" action="/sandbox/outbox" class="row"><input type="hidden" name="phone" value="${to}">
<button class="soft" name="answer" value="STOP">Answer STOP</button> <button class="soft" name="answer" value="START">Answer START</button></form>
</li>
`;
}
