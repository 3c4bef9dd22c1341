// The documentation alone: its routes on a server of their own, without a database. The reference is made from the
// generated OpenAPI document.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Fastify, { type FastifyInstance } from 'fastify';
import { systemClock } from '../../src/base/clock.ts';
import { Problem } from '../../src/base/errors.ts';
import { packageRoot } from '../../src/base/package-root.ts';
import { systemRandom } from '../../src/base/random.ts';
import type { HttpContext } from '../../src/http/context.ts';
import type { ApiDocument } from '../../src/http/docs/api-document.ts';
import { registerDocs } from '../../src/http/docs.ts';

/** `base` is the address that examples show; `admit` refuses a request by throwing. */
export function makeDocsSite(base: string, admit = async (): Promise<void> => {}): FastifyInstance {
  const app = Fastify({ routerOptions: { maxParamLength: 2048 } });
  app.decorateRequest('operation', 'unknown');
  app.setErrorHandler((error, _request, reply) =>
    reply.code(error instanceof Problem ? error.status : 500).send(String(error)),
  );
  const generated = readFileSync(join(packageRoot, 'schemas', 'openapi.gen.json'), 'utf8');
  const document = (): ApiDocument => JSON.parse(generated.replaceAll('https://api.everyshare.example', base));
  app.get('/v1/openapi.json', (_request, reply) => reply.send(document()));
  const urls = { base, checkoutPages: base, schemas: `${base}/schemas` };
  app.addHook('onRequest', admit);
  const context = { random: systemRandom, clock: systemClock };
  const http = { app: context, urls: () => urls } as unknown as HttpContext;
  app.register(async (docs) => registerDocs(docs, http, document));
  return app;
}
