// The other side of cold-start and read-checkout: a bare Fastify with one route that returns the text in BODY. Run by
// plain `node` as JavaScript.

import Fastify from 'fastify';

const body = process.env.BODY ?? '{"status":"ready"}';
const app = Fastify();
app.get(process.env.ROUTE ?? '/readyz', async (_request, reply) =>
  reply.type('application/json; charset=utf-8').send(body),
);
await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT) });
