// The signing secret of a webhook endpoint or an event destination. Each has one of its own. It follows from the secret
// of the mode and from the endpoint's id, so that a server which started this processor, and so knows the mode's secret,
// can verify the events of an endpoint that it registered before a restart.

import { createHmac } from 'node:crypto';

export function endpointSecret(modeSecret: string, endpointId: string): string {
  const derived = createHmac('sha256', modeSecret).update(`endpoint ${endpointId}`).digest('hex');
  return `whsec_${derived.slice(0, 32)}`;
}
