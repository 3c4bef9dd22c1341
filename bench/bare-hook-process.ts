// The other side of hook-intake: a bare Fastify that reads the same body, verifies the same HMAC over its raw bytes,
// parses it with JSON.parse, and answers. It stores nothing. Run by plain `node` as JavaScript.

import { createHmac, timingSafeEqual } from 'node:crypto';
import Fastify from 'fastify';

const secret = process.env.SECRET ?? '';
const app = Fastify({ bodyLimit: 1024 * 1024 });
app.removeAllContentTypeParsers();
app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
app.get('/readyz', async () => ({ status: 'ready' }));
app.post('/hook', async (request, reply) => {
  const raw = request.body as Buffer;
  const [, t = '', v1 = ''] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(request.headers['service-signature'])) ?? [];
  const expected = createHmac('sha256', secret).update(`${t}.`).update(raw).digest('hex');
  if (v1 === '' || !timingSafeEqual(Buffer.from(v1), Buffer.from(expected))) return reply.code(401).send();
  const { id } = JSON.parse(raw.toString('utf8')) as { id: string };
  return { received: true, id, duplicate: false };
});
await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT) });
