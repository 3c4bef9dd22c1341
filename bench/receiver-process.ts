// A partner's receiver for the benches: https, keep-alive, 200 to every post; below /hang it never answers.

import { createServer } from 'node:https';
import { certificate, privateKey } from '../test/outbound/receiver-certificate.ts';

const server = createServer({ key: privateKey, cert: certificate, keepAliveTimeout: 60_000 }, (request, response) => {
  request.resume();
  if (request.url?.startsWith('/hang')) return;
  request.on('end', () => response.end('ok'));
});
server.listen(Number(process.env.PORT), '127.0.0.1', () => process.send?.({ done: 'listening' }));
process.on('disconnect', () => process.exit(0));
