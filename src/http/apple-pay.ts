// The file with which the card processor proves to Apple that the pages of this domain may show Apple Pay. The processor
// gives it to the operator; it is public.

import { readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import { ConfigError } from '../base/config.ts';
import type { HttpContext } from './context.ts';

/** Stripe's file has 9 KB. */
const MAX_BYTES = 64 * 1024;

/** The file is read once, so that a wrong path is reported at the start. */
export function registerApplePay(app: FastifyInstance, { app: { config } }: HttpContext): void {
  const { applePayDomainFile: path } = config;
  if (path === null) return;
  const content = readDomainFile(path);
  app.get('/.well-known/apple-developer-merchantid-domain-association', async (request, reply) => {
    request.operation = 'apple-pay';
    return reply.type('text/plain; charset=utf-8').header('cache-control', 'public, max-age=300').send(content);
  });
}

function readDomainFile(path: string): Buffer {
  let content: Buffer;
  try {
    content = readFileSync(path);
  } catch (error) {
    throw new ConfigError([
      `APPLE_PAY_DOMAIN_FILE cannot be read (${(error as Error).message}): name the file that Stripe gave you.`,
    ]);
  }
  if (content.length > 0 && content.length <= MAX_BYTES) return content;
  throw new ConfigError([
    `APPLE_PAY_DOMAIN_FILE has ${content.length} bytes: name the file that Stripe gave you, of at most 64 KB.`,
  ]);
}
