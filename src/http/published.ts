// The public documents: the JSON Schemas, the mappings, the OpenAPI document, the embed and the documentation.

import type { FastifyInstance } from 'fastify';
import { Problem } from '../base/errors.ts';
import { consoleOperations, partnerOperations } from '../run/operations.ts';
import { rateLimited } from '../run/rate-limited.ts';
import type { HttpContext } from './context.ts';
import type { ApiDocument } from './docs/api-document.ts';
import { registerDocs } from './docs.ts';
import { registerEmbed } from './embed.ts';
import { makeOpenApi } from './openapi.ts';
import { countCallByAddress, countDocumentRead } from './rate-limit-headers.ts';

const JSON_SCHEMA = 'application/schema+json; charset=utf-8';

function mappingIndex({ app: context, urls }: HttpContext): object {
  const { base, schemas } = urls();
  const mappings = [...context.mappings.values()].map(({ provider, name, kinds, signature }) => ({
    provider,
    name,
    kinds,
    signed: signature.scheme !== 'none',
    url: `${schemas}/v1/mappings/${provider}.json`,
    documentation: `${base}/docs/providers/${provider}`,
  }));
  return { version: 'v1', schema: `${schemas}/v1/mapping.json`, mappings };
}

export async function registerPublished(app: FastifyInstance, http: HttpContext): Promise<void> {
  const documents = new Map<string, Buffer>();
  // Bytes, which all answers share: a text would be copied for each client, however slowly it reads.
  const cached: CachedDocument = (name, make) => {
    const document = documents.get(name) ?? Buffer.from(JSON.stringify(make()));
    documents.set(name, document);
    return document;
  };
  const describeApi = () => makeOpenApi(partnerOperations, http.app.registry, http.urls().base);
  app.get('/v1/openapi.json', async (request, reply) => {
    request.operation = 'openapi';
    const rateLimit = await countCallByAddress(http, request, reply);
    if (rateLimit.retryAfter !== null) throw rateLimited(rateLimit, 'read');
    return reply
      .type('application/json; charset=utf-8')
      .header('access-control-allow-origin', '*')
      .send(cached('openapi', describeApi));
  });
  app.get('/console/openapi.json', async (request, reply) => {
    request.operation = 'consoleOpenapi';
    const rateLimit = await countCallByAddress(http, request, reply);
    if (rateLimit.retryAfter !== null) throw rateLimited(rateLimit, 'read');
    const { registry } = http.app;
    const document = cached('console openapi', () => makeOpenApi(consoleOperations, registry, http.urls().base));
    return reply.type('application/json; charset=utf-8').send(document);
  });
  registerEmbed(app);
  await app.register(async (counted) => {
    counted.addHook('onRequest', (request) => countDocumentRead(http, request));
    registerSchemas(counted, http, cached);
    await counted.register(async (docs) => registerDocs(docs, http, () => describeApi() as unknown as ApiDocument));
  });
}

type CachedDocument = (name: string, make: () => unknown) => Buffer;

function registerSchemas(app: FastifyInstance, http: HttpContext, cached: CachedDocument): void {
  const { registry } = http.app;
  app.get('/schemas/v1/index.json', async (request, reply) => {
    request.operation = 'schemas';
    const { schemas } = http.urls();
    const entries = registry.names.map((name) => ({
      name,
      url: `${schemas}/v1/${name}.json`,
      title: registry.get(name).title,
    }));
    return reply
      .type('application/json; charset=utf-8')
      .header('access-control-allow-origin', '*')
      .send({ version: 'v1', schemas: entries });
  });

  app.get('/schemas/v1/mappings/:file', async (request, reply) => {
    request.operation = 'schemas';
    const { file } = request.params as { file: string };
    const provider = file.endsWith('.json') ? file.slice(0, -'.json'.length) : '';
    const { base, schemas } = http.urls();
    if (provider === 'index') return reply.header('access-control-allow-origin', '*').send(mappingIndex(http));
    const mapping = http.app.mappings.get(provider);
    if (mapping === undefined)
      throw new Problem('not_found', { message: 'There is no such mapping. See /schemas/v1/mappings/index.json.' });
    const published = {
      ...mapping,
      $schema: `${schemas}/v1/mapping.json`,
      documentation: `${base}/docs/providers/${provider}`,
    };
    return reply.header('access-control-allow-origin', '*').send(published);
  });

  app.get('/schemas/v1/:file', async (request, reply) => {
    request.operation = 'schemas';
    const { file } = request.params as { file: string };
    const name = file.endsWith('.json') ? file.slice(0, -'.json'.length) : '';
    if (!registry.names.includes(name))
      throw new Problem('not_found', { message: 'There is no such schema. See /schemas/v1/index.json.' });
    const document = cached(`schema ${name}`, () => registry.published(name, http.urls().schemas));
    return reply.type(JSON_SCHEMA).header('access-control-allow-origin', '*').send(document);
  });
}
