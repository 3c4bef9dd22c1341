// Connected venue systems: their integrations, their deliveries, and the address to which they deliver.

import { listInboundDeliveries, replayInbound } from '../../domain/hooks/deliveries/read-deliveries.ts';
import { createIntegration, listIntegrations, revokeIntegration } from '../../domain/hooks/integrations.ts';
import { deleteCredentials, setCredentials } from '../../domain/hooks/readers/credentials.ts';
import { getSync, startSync } from '../../domain/hooks/readers/sync.ts';
import { receiveHook } from '../../domain/hooks/receive.ts';
import type { AppOperation } from '../app-operation.ts';
import { INBOUND_AGAIN, NEW_INTEGRATION, READING } from './examples.ts';
import { enveloped, KB, listed, only, paged, pageQuery, plain, shown } from './shapes.ts';

const READ = { auth: 'secret', scopes: ['webhooks:write'], effect: 'read' } as const;
const WRITE = { auth: 'secret', scopes: ['webhooks:write'], effect: 'write' } as const;

export const integrations: readonly AppOperation[] = [
  {
    ...WRITE,
    id: 'createIntegration',
    kind: 'command',
    method: 'POST',
    path: '/v1/integrations',
    tag: 'Integrations',
    summary: 'Connect a venue system',
    description:
      'The webhook address and, for `custom`, the signing secret are in this answer only. Send an `Idempotency-Key` to get the same answer again if it is lost. Up to 50 for a venue and mode.',
    linkedOnly: true,
    idempotent: true,
    body: only('integration'),
    responses: { 201: shown({ data: NEW_INTEGRATION }, enveloped('The integration.', 'stored_integration')) },
    errors: ['conflict'],
    run: createIntegration,
  },
  {
    ...READ,
    id: 'listIntegrations',
    kind: 'query',
    method: 'GET',
    path: '/v1/integrations',
    tag: 'Integrations',
    summary: 'List connected venue systems',
    description: 'Tokens are never listed.',
    responses: { 200: listed('Every integration, newest first.', 'stored_integration') },
    run: listIntegrations,
  },
  {
    ...WRITE,
    id: 'revokeIntegration',
    kind: 'command',
    method: 'POST',
    path: '/v1/integrations/{id}/revoke',
    tag: 'Integrations',
    summary: 'Disconnect a venue system',
    responses: {
      200: shown({ data: { status: 'revoked' } }, enveloped('The integration, now revoked.', 'stored_integration')),
    },
    errors: ['not_found'],
    run: revokeIntegration,
  },
  {
    ...WRITE,
    id: 'setIntegrationCredentials',
    kind: 'command',
    method: 'POST',
    path: '/v1/integrations/{id}/credentials',
    tag: 'Integrations',
    summary: 'Set the credentials for the API of a venue system',
    description:
      'Some venue systems send only ids. With credentials the server reads the object after such a delivery, and applies it as if the delivery had carried it. `reads.credential_fields` of the integration names the fields. They replace earlier ones, are stored encrypted, and are never shown. If the venue system refuses them, `reads.status` becomes `paused` within a minute, and nothing is read until you set others.',
    body: only('integration_credentials'),
    responses: { 200: shown(READING, enveloped('The integration.', 'stored_integration')) },
    errors: ['not_found', 'conflict'],
    run: setCredentials,
  },
  {
    ...WRITE,
    id: 'deleteIntegrationCredentials',
    kind: 'command',
    method: 'DELETE',
    path: '/v1/integrations/{id}/credentials',
    tag: 'Integrations',
    summary: 'Delete the credentials for the API of a venue system',
    description: 'Nothing is read any more. Deliveries that wait for a read become `needs_api_read`.',
    responses: { 200: enveloped('The integration.', 'stored_integration') },
    errors: ['not_found', 'conflict'],
    run: deleteCredentials,
  },
  {
    ...WRITE,
    id: 'syncIntegration',
    kind: 'command',
    method: 'POST',
    path: '/v1/integrations/{id}/sync',
    tag: 'Integrations',
    summary: 'Read the whole catalogue of a venue system',
    description:
      'In the background, within the limits of the venue system. A second call while a run is active answers with that run.',
    responses: { 202: enveloped('The run.', 'integration_sync') },
    errors: ['not_found', 'conflict'],
    run: startSync,
  },
  {
    ...READ,
    id: 'getIntegrationSync',
    kind: 'query',
    method: 'GET',
    path: '/v1/integrations/{id}/sync',
    tag: 'Integrations',
    summary: 'Read the progress of the last catalogue run',
    description: 'What was read, created, changed and skipped, and why. 404 before the first run.',
    responses: { 200: enveloped('The newest run.', 'integration_sync') },
    errors: ['not_found'],
    run: getSync,
  },
  {
    ...READ,
    id: 'listInboundDeliveries',
    kind: 'query',
    method: 'GET',
    path: '/v1/integrations/{id}/deliveries',
    tag: 'Integrations',
    summary: 'List the deliveries of a venue system',
    description: 'Newest first, for 30 days, each with its outcome.',
    query: pageQuery([
      'pending',
      'reading',
      'applied',
      'ignored',
      'superseded',
      'unmapped',
      'needs_api_read',
      'failed',
    ]),
    responses: { 200: paged('One page of inbound deliveries.', 'inbound_delivery') },
    errors: ['not_found'],
    run: listInboundDeliveries,
  },
  {
    ...WRITE,
    id: 'replayInboundDelivery',
    kind: 'command',
    method: 'POST',
    path: '/v1/integrations/{id}/deliveries/{delivery_id}/replay',
    tag: 'Integrations',
    summary: 'Apply an inbound delivery again',
    description:
      'Use it after you have removed the cause of a failure. A delivery that is older than what was applied since changes nothing. An `ignored` delivery can be applied again for one day: after that the answer is 409 `body_gone`.',
    responses: { 200: shown({ data: INBOUND_AGAIN }, enveloped('The delivery, pending again.', 'inbound_delivery')) },
    errors: ['not_found', 'conflict'],
    run: replayInbound,
  },
  {
    id: 'receiveHook',
    kind: 'intake',
    method: 'POST',
    path: '/v1/hooks/{provider}/{token}',
    tag: 'Integrations',
    summary: 'Receive a delivery of a venue system',
    description:
      'The token in the address is the credential. The delivery is stored before the answer and applied after it. A repeated delivery gets the id of the first. Up to 256 KB, 1 MB for `toast`. `HEAD` answers 200 while the token is valid.',
    auth: 'hook',
    effect: 'write',
    bodyLimit: 256 * KB,
    responses: { 200: plain('Stored.', 'hook_receipt') },
    errors: ['not_found'],
    run: receiveHook,
  },
];
