// What is published about members: the keys that verify their tokens, and, in the sandbox alone, the text messages that
// would have been sent, on a page that a person can read.

import type { FastifyInstance } from 'fastify';
import { newestMessages } from '../domain/members/messages/queries.ts';
import { openPhone } from '../domain/members/phone.ts';
import type { Door } from './server.ts';

const NEWEST = 100;

export function registerMembers(app: FastifyInstance, door: Door): void {
  app.get('/.well-known/jwks.json', async (request, reply) => {
    request.operation = 'jwks';
    return reply.header('cache-control', 'public, max-age=60').send(await door.house.tokens.jwks());
  });
  if (!door.house.config.sandboxTexts) return;
  app.get('/sandbox/outbox', async (request, reply) => {
    request.operation = 'outbox';
    const { db, seal } = door.house;
    const rows = await newestMessages(db, null, NEWEST);
    const messages = rows.map((row) => ({
      to: openPhone(seal, row),
      kind: row.kind,
      status: row.status,
      at: new Date(row.createdAt).toISOString(),
      text: seal.open(row.words, `message ${row.id}`),
    }));
    reply.header('cache-control', 'no-store').header('x-robots-tag', 'noindex');
    if ((request.headers.accept ?? '').includes('application/json')) return reply.send({ data: messages });
    return reply
      .type('text/html; charset=utf-8')
      .header(
        'content-security-policy',
        "default-src 'none'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
      )
      .header('referrer-policy', 'no-referrer')
      .send(page(messages));
  });
}

interface Shown {
  readonly to: string;
  readonly kind: string;
  readonly status: string;
  readonly at: string;
  readonly text: string;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

/** What the owner of the phone could answer. */
function answers(phone: string): string {
  const button = (word: string): string => `<button name="answer" value="${word}">Answer ${word}</button>`;
  return `<form method="post" action="/sandbox/outbox"><input type="hidden" name="phone" value="${escaped(phone)}">${button('STOP')} ${button('START')}</form>`;
}

function page(messages: readonly Shown[]): string {
  const items = messages.map(
    ({ to, kind, status, at, text }) =>
      `<li><p><strong>${escaped(to)}</strong> ${escaped(kind)}, ${escaped(status)}, <time>${escaped(at)}</time></p><pre>${escaped(text)}</pre>${answers(to)}</li>`,
  );
  const list = items.length === 0 ? '<p>Nothing was sent yet.</p>' : `<ol>${items.join('')}</ol>`;
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Outbox (sandbox)</title></head><body><h1>Text messages of the sandbox</h1><p>Sandbox: nothing here was sent to anybody. Newest first.</p>${list}</body></html>`;
}
