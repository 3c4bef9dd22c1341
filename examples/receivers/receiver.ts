// A receiver of webhooks on node:http: WEBHOOK_SECRET=whsec_… PORT=3000 npx tsx receiver.ts

import { createServer } from 'node:http';
import { verify } from './verify.ts';

// An empty secret would verify what anyone has signed with it.
const secret = process.env.WEBHOOK_SECRET;
if (!secret) throw new Error('set WEBHOOK_SECRET to the secret of the endpoint (whsec_…)');

const MAX_BODY_BYTES = 1024 * 1024;

/** Keep these ids in your database, with the work itself in one transaction. */
const processed = new Set<string>();

const server = createServer(async (request, response) => {
  const answer = (status: number): void => void response.writeHead(status).end();
  const parts: Buffer[] = [];
  let size = 0;
  try {
    for await (const part of request) {
      size += part.length;
      if (size > MAX_BODY_BYTES) return answer(413);
      parts.push(part);
    }
  } catch {
    // The sender has left before the end of the body: it sends the event again.
    return;
  }
  const body = Buffer.concat(parts);
  const header = String(request.headers['service-signature'] ?? '');
  if (!verify(body, header, secret)) return answer(400);
  const event = JSON.parse(body.toString());
  if (!processed.has(event.id)) {
    processed.add(event.id);
    process.stdout.write(`${event.type} ${event.data.object.id}\n`);
  }
  answer(204);
});
server.listen(Number(process.env.PORT ?? 3000), '127.0.0.1');
