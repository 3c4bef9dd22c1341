// A Fastify with one route that returns the text in BODY, behind @fastify/rate-limit with its store in memory, which
// counts by the Authorization header.

import rateLimit from '@fastify/rate-limit';
import Fastify from 'fastify';

const app = Fastify();
await app.register(rateLimit, {
  max: 1_000_000_000,
  timeWindow: '1 hour',
  keyGenerator: (request) => request.headers.authorization ?? request.ip,
});
app.get(process.env.ROUTE ?? '/', async (_request, reply) =>
  reply.type('application/json; charset=utf-8').send(process.env.BODY ?? '{}'),
);
await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT) });
