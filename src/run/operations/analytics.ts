// Analytics: recording activity and reading the figures. The domain code knows ids only; the owner of each experience
// is looked up here.

import type { Activity } from '../../../schemas/types.gen.ts';
import type { Db, Queryable } from '../../base/db.ts';
import { notFound } from '../../base/errors.ts';
import type { Input, OperationResult } from '../../base/operation.ts';
import type { Seal } from '../../base/seal.ts';
import { recordActivity, referencedIds } from '../../domain/analytics/record.ts';
import { experienceFetchLimit, refuseTooMany, report, reportCsv } from '../../domain/analytics/report.ts';
import { windowOf } from '../../domain/analytics/window.ts';
import { findApproved, findRoutes, listApproved, listTakenDown } from '../../domain/experiences/queries.ts';
import type { Caller } from '../../domain/keys/caller.ts';
import { knownVenueIds } from '../../domain/venues/queries.ts';
import type { AppOperation } from '../app-operation.ts';
import { enveloped, MB, only, plain, time } from './shapes.ts';

async function getAnalytics(db: Queryable, { venue, mode, now }: Caller, input: Input): Promise<OperationResult> {
  const window = windowOf(input.query, now);
  const { experience_id: experienceId } = input.query as { experience_id?: string };
  const one = experienceId === undefined ? null : await findApproved(db, venue.id, mode, experienceId);
  if (experienceId !== undefined && one === null) throw notFound();
  const experiences =
    one === null ? await listApproved(db, venue.id, mode, experienceFetchLimit(input.asCsv === true)) : [one];
  const isOneExperience = one !== null;
  const needsAll = !isOneExperience && input.asCsv !== true;
  const takenDown = needsAll ? await listTakenDown(db, venue.id, mode) : [];
  const request = { venueId: venue.id, mode, experiences, takenDown, isOneExperience, window };
  refuseTooMany(request, input.asCsv === true);
  if (input.asCsv === true) return { status: 200, csv: await reportCsv(db, request) };
  return { status: 200, body: { data: await report(db, request) } };
}

interface ActivityServices {
  readonly db: Db;
  readonly seal: Seal;
}

async function receiveActivity(
  { db, seal }: ActivityServices,
  _operator: unknown,
  { body }: Input<Activity>,
): Promise<OperationResult> {
  const { experienceIds, venueIds } = referencedIds(body.events);
  const [routes, venues] = await Promise.all([findRoutes(db, experienceIds), knownVenueIds(db, venueIds)]);
  const experiences = new Map(
    routes.map(({ experience_id, venue_id, mode }) => [experience_id, { venueId: venue_id, mode }]),
  );
  return {
    status: 200,
    body: await recordActivity({ db, seal }, body.events, { experiences, venues: new Set(venues) }),
  };
}

export const analytics: readonly AppOperation[] = [
  {
    id: 'getAnalytics',
    kind: 'query',
    method: 'GET',
    path: '/v1/analytics',
    tag: 'Analytics',
    summary: 'Get the figures of the venue’s listings',
    description:
      'Totals, figures for each approved experience and for each day in UTC. The window is at most 366 days; by default the last 30. Test activity is not counted. More than 5,000 approved experiences, or more than 20,000 lines of CSV, are 422: `experience_id` narrows the answer to one.',
    auth: 'secret',
    scopes: ['analytics:read'],
    effect: 'read',
    query: {
      type: 'object',
      properties: {
        from: time('The beginning of the window; 30 days before `to` when absent.'),
        to: time('The end of the window, exclusive; now when absent.'),
        experience_id: {
          type: 'string',
          format: 'uuid',
          description: 'Only this experience.',
          examples: ['01970c3e-5f5e-7a3b-8c1d-2e3f4a5b6c7d'],
        },
      },
      additionalProperties: false,
    },
    responses: { 200: enveloped('The figures.', 'analytics') },
    csv: {
      lines: 'one for each experience and day, zeros included, with the people of that day and the window',
      isPage: false,
    },
    errors: ['not_found'],
    run: getAnalytics,
  },
  {
    id: 'recordActivity',
    kind: 'external',
    method: 'POST',
    path: '/internal/activity',
    tag: 'Analytics',
    summary: 'Report activity of the members’ app',
    description:
      'For the operator’s own app: up to 1,000 events in a call, idempotent by their `id`. `rejected` says why one was not counted: `unknown_experience`, `unknown_venue`, or `too_old` (older than the activity that is stored).',
    auth: 'operator',
    effect: 'write',
    body: only('activity'),
    bodyLimit: MB,
    responses: { 200: plain('How many were counted.', 'activity_result') },
    run: receiveActivity,
  },
];
