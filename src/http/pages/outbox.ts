// The sandbox's text messages, as a page that a person can read: whose phone, what for, the words as they would arrive, and
// the answer that its owner could give.

import type { FastifyReply } from 'fastify';
import { assetUrl } from './assets.ts';
import { type Html, html } from './html.ts';
import { guard } from './layout.ts';

export interface ShownMessage {
  readonly to: string;
  readonly kind: string;
  readonly status: string;
  readonly at: string;
  readonly text: string;
}

export function sendOutbox(reply: FastifyReply, messages: readonly ShownMessage[]): FastifyReply {
  const page = html`<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Text messages of the sandbox</title>
<meta name="color-scheme" content="light dark">
<link rel="icon" href="/docs/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${assetUrl('guest.css')}">
<script type="module" src="${assetUrl('guest.js')}"></script>
</head>
<body>
<header><p class="ribbon">Sandbox: nothing here was sent to anybody</p>
<p class="banner" id="offline" role="alert" hidden></p></header>
<main id="main">
<h1>Text messages</h1>
<p class="hint">Newest first. Reload for more. The numbers +1 555 010 0000 to 0199 take the code 000000.</p>
${messages.length === 0 ? html`<p>Nothing was sent yet.</p>` : html`<ol class="messages">${messages.map(shown)}</ol>`}
</main>
</body>
</html>`;
  return guard(reply, false)
    .header('cache-control', 'no-store')
    .type('text/html; charset=utf-8')
    .send(`<!doctype html>\n${page.text}\n`);
}

/** Addresses in the words are links, as on a phone. */
function linked(text: string): readonly (Html | string)[] {
  return text
    .split(/(https?:\/\/\S+)/)
    .map((part, index) => (index % 2 === 1 ? html`<a href="${part}">${part}</a>` : part));
}

function shown({ to, kind, status, at, text }: ShownMessage): Html {
  return html`<li>
<p class="quiet"><strong>${to}</strong> · ${kind} · ${status} · <time datetime="${at}" data-local>${at}</time></p>
<p class="bubble">${linked(text)}</p>
<form method="post" action="/sandbox/outbox" class="row"><input type="hidden" name="phone" value="${to}">
<button class="quiet" name="answer" value="STOP">Answer STOP</button> <button class="quiet" name="answer" value="START">Answer START</button></form>
</li>
`;
}
