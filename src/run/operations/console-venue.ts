// The console's calls about venues: another sandbox venue, its settings, its origins and its audit log.

import { listAuditOfVenue } from '../../domain/accounts/list-audit.ts';
import { createOwnVenue } from '../../domain/accounts/own-venues.ts';
import { addVenueOrigin, listVenueOrigins, removeVenueOrigin } from '../../domain/venues/manage-origins.ts';
import { changeVenueSettings, showVenueSettings } from '../../domain/venues/manage-settings.ts';
import type { AppOperation } from '../app-operation.ts';
import { beforeId, listed, nextBeforeId, only, paged, pageQuery, plain } from './shapes.ts';

const EXAMPLE_ENTRY = '0197f2c4-6a10-7c3e-9b1d-5f2a8c4e7d14';
const CONSOLE = { audience: 'console', tag: 'Console', auth: 'team' } as const;

export const consoleVenue: readonly AppOperation[] = [
  {
    audience: 'console',
    tag: 'Console',
    auth: 'account',
    id: 'createVenue',
    kind: 'external',
    method: 'POST',
    path: '/console/api/venues',
    summary: 'Make another sandbox venue',
    description:
      'The person is its owner. Its secret and its publishable test key are in this answer only. At most 10 a day.',
    effect: 'write',
    body: only('venue_create'),
    responses: { 201: plain('The venue and its test keys.', 'created_venue') },
    run: createOwnVenue,
  },
  {
    ...CONSOLE,
    id: 'getVenue',
    kind: 'query',
    method: 'GET',
    path: '/console/api/venue',
    summary: 'Get the settings of the venue',
    effect: 'read',
    responses: { 200: plain('The settings.', 'venue_settings') },
    run: showVenueSettings,
  },
  {
    ...CONSOLE,
    id: 'updateVenue',
    kind: 'external',
    method: 'POST',
    path: '/console/api/venue',
    summary: 'Change the settings of the venue',
    description: 'They count for both modes, from the next page, text and mail on.',
    effect: 'write',
    body: only('venue_update'),
    responses: { 200: plain('The settings as they are now.', 'venue_settings') },
    run: changeVenueSettings,
  },
  {
    ...CONSOLE,
    id: 'listOrigins',
    kind: 'query',
    method: 'GET',
    path: '/console/api/origins',
    summary: 'List the registered origins of the venue',
    description: 'Those of both modes, at most 50 in each.',
    effect: 'read',
    responses: { 200: listed('Every origin, those of test mode first.', 'venue_origin') },
    run: listVenueOrigins,
  },
  {
    ...CONSOLE,
    id: 'addOrigin',
    kind: 'external',
    method: 'POST',
    path: '/console/api/origins',
    summary: 'Register an origin',
    description:
      'Its pages may use publishable keys of that mode, and guests may return to it. `mode` names the mode; a venue that is not linked yet sets its live origins from a session in test mode.',
    effect: 'write',
    body: only('venue_origin_change'),
    responses: {
      200: plain('It was registered before.', 'venue_origin'),
      201: plain('The registered origin.', 'venue_origin'),
    },
    run: addVenueOrigin,
  },
  {
    ...CONSOLE,
    id: 'removeOrigin',
    kind: 'external',
    method: 'POST',
    path: '/console/api/origins/remove',
    summary: 'Remove an origin',
    description:
      'The next request of its pages with a publishable key of that mode is refused. Checkouts keep their `return_url`.',
    effect: 'write',
    body: only('venue_origin_change'),
    responses: { 200: plain('The origin that was removed.', 'venue_origin') },
    errors: ['not_found'],
    run: removeVenueOrigin,
  },
  {
    ...CONSOLE,
    id: 'listAudit',
    kind: 'query',
    method: 'GET',
    path: '/console/api/audit',
    summary: 'List the audit log of the venue',
    description:
      'Newest first, what was done in both modes: to keys, origins, settings, people, endpoints, integrations, reviews and refunds, and by whom.',
    effect: 'read',
    query: pageQuery(null, {
      ...beforeId(EXAMPLE_ENTRY, { format: 'uuid' }),
      action: {
        type: 'string',
        pattern: '^[a-z_.]{1,60}$',
        description: 'Only actions that begin with this text.',
        examples: ['key.'],
      },
    }),
    responses: { 200: paged('One page of entries.', 'audit_entry', nextBeforeId(EXAMPLE_ENTRY)) },
    csv: { lines: 'the entries of the same page', isPage: true },
    run: listAuditOfVenue,
  },
];
