// What the desk calls about venues and people.

import {
  approveVenue,
  raiseLimits,
  resumeVenue,
  setVenueFee,
  suspendVenue,
  viewVenue,
} from '../../domain/desk/change-venues.ts';
import { listDeskAudit, listDeskPeople, listOperators } from '../../domain/desk/people.ts';
import { getDeskVenue, listDeskVenues } from '../../domain/desk/venues.ts';
import type { AppOperation } from '../app-operation.ts';
import { beforeId, listed, nextBeforeId, only, paged, pageQuery, plain } from './shapes.ts';

const DESK = { kind: 'external', audience: 'desk', tag: 'Desk', auth: 'desk' } as const;
const READ = { ...DESK, method: 'GET', effect: 'read' } as const;
const CHANGE = { ...DESK, method: 'POST', effect: 'write', stepUp: 'always', errors: ['not_found'] } as const;
const EXAMPLE_ID = '0197f2c4-6a10-7c3e-9b1d-5f2a8c4e7d12';
const VENUE = plain('The venue as it is now.', 'desk_venue');

const text = (description: string, example: string): object => ({
  type: 'string',
  maxLength: 200,
  description,
  examples: [example],
});

export const deskVenues: readonly AppOperation[] = [
  {
    ...READ,
    id: 'listDeskVenues',
    path: '/desk/api/venues',
    summary: 'Search venues',
    description: 'Newest first.',
    query: pageQuery(null, {
      ...beforeId(EXAMPLE_ID, { format: 'uuid' }),
      q: text(
        'A part of the name; or the id of a venue, or of a checkout, share, movement, payment, charge, dispute or reviewed object of it; the mail address or account id of one of its people; the id or the hint of a key.',
        'harbor',
      ),
    }),
    responses: { 200: paged('One page of venues.', 'desk_venue_item', nextBeforeId(EXAMPLE_ID)) },
    run: listDeskVenues,
  },
  {
    ...READ,
    id: 'getDeskVenue',
    path: '/desk/api/venues/{id}',
    summary: 'Get a venue as an operator sees it',
    responses: { 200: plain('The venue.', 'desk_venue') },
    errors: ['not_found'],
    run: getDeskVenue,
  },
  {
    ...CHANGE,
    id: 'setVenueFee',
    path: '/desk/api/venues/{id}/fee',
    summary: 'Set the fee of a venue',
    description:
      'For checkouts that are created from now on. 409 `fee_below_cost`: it does not cover what the processor charges for some parties, and `accept_below_cost` is not true.',
    body: only('desk_fee'),
    responses: { 200: VENUE },
    errors: ['not_found', 'conflict'],
    run: setVenueFee,
  },
  {
    ...CHANGE,
    id: 'suspendVenue',
    path: '/desk/api/venues/{id}/suspend',
    summary: 'Suspend a venue',
    description: 'No new checkouts in either mode (403 `venue_suspended`); those that exist end as they would.',
    body: only('venue_suspension'),
    responses: { 200: VENUE },
    run: suspendVenue,
  },
  {
    ...CHANGE,
    id: 'resumeVenue',
    path: '/desk/api/venues/{id}/resume',
    summary: 'Let a suspended venue go on',
    responses: { 200: VENUE },
    run: resumeVenue,
  },
  {
    ...CHANGE,
    id: 'approveVenue',
    path: '/desk/api/venues/{id}/approve',
    summary: 'Approve a venue that goes live',
    description:
      'Needed where the installation asks for it (LIVE_NEEDS_APPROVAL=1). A venue of which every other line of the checklist holds is linked by it. Again: nothing changes.',
    responses: { 200: VENUE },
    run: approveVenue,
  },
  {
    ...CHANGE,
    id: 'raiseLimits',
    path: '/desk/api/venues/{id}/limits',
    summary: 'Raise the limits of a key or a venue for a time',
    description:
      'For one key, or for every secret key of the venue, also those that it makes until the end. The higher of both limits counts; a raise that still runs is neither lowered nor shortened.',
    body: only('limit_raise'),
    responses: { 200: VENUE },
    run: raiseLimits,
  },
  {
    ...DESK,
    id: 'viewVenue',
    method: 'POST',
    path: '/desk/api/venues/{id}/view',
    summary: 'Look at a venue as its people see it',
    description:
      'For half an hour this session reads the venue in the console, as a viewer of it. Writes are refused. It is in the audit log of the venue.',
    effect: 'write',
    responses: { 200: plain('The venue, and until when.', 'desk_view') },
    errors: ['not_found'],
    run: viewVenue,
  },
  {
    ...READ,
    id: 'listDeskPeople',
    path: '/desk/api/people',
    summary: 'Find a person',
    description:
      'Mail addresses are stored encrypted, so a person is found by the whole address or by the id of the account.',
    query: {
      type: 'object',
      properties: { q: text('The mail address, or the id of the account.', 'ada@harbor.example') },
      additionalProperties: false,
    },
    responses: { 200: listed('The person, or nothing.', 'desk_person') },
    run: listDeskPeople,
  },
  {
    ...READ,
    id: 'listOperators',
    path: '/desk/api/operators',
    summary: 'List the operators',
    responses: { 200: listed('Every operator, oldest first.', 'desk_operator') },
    run: listOperators,
  },
  {
    ...READ,
    id: 'listDeskAudit',
    path: '/desk/api/audit',
    summary: 'List the audit log of every venue and of the installation',
    description: 'Newest first.',
    query: pageQuery(null, {
      ...beforeId(EXAMPLE_ID, { format: 'uuid' }),
      venue: { type: 'string', format: 'uuid', description: 'Only entries of this venue.', examples: [EXAMPLE_ID] },
      by: { type: 'string', enum: ['operators'], description: 'Only what operators did.' },
    }),
    responses: { 200: paged('One page of entries.', 'desk_audit_entry', nextBeforeId(EXAMPLE_ID)) },
    run: listDeskAudit,
  },
];
