// Which table lives where in a distributed installation (`everyshare distribute`), as data: test/tidy/placements.test.ts
// proves that every table of the database is placed. A venue's rows are on one worker; what leads to a venue is found by
// its own key, and so is what counts the calls of a caller; rules and guests are copied to every node, because statements
// about a venue read them there.

import type { FunctionPlacement, Placement } from '../../base/distribution/placement.ts';

const COPIES: readonly string[] = ['state_transitions', 'ledger_accounts', 'key_routes', 'hook_routes', 'members'];

const KEYS: Readonly<Record<string, string>> = {
  checkout_routes: 'id',
  invite_routes: 'token_hash',
  experience_routes: 'experience_id',
  review_routes: 'object_id',
};

/** The rolling hours, by whose calls they count: a key, an address, a guest. One node has the window and its calls. */
const LIMITER: Readonly<Record<string, Placement>> = {
  limit_windows: { by: 'key', column: 'subject' },
  limit_calls: { by: 'key', column: 'subject', beside: 'limit_windows' },
};

/** Tables with a venue that stay on the coordinator. */
const KEPT: readonly string[] = [
  // One statement corrects the figures of many days: counting anew ended in deadlocks when they were distributed.
  'activity',
  'activity_days',
  'activity_ids',
  'activity_people',
  'activity_venues',
  // Leads from the account at a provider to a venue, with a foreign key; rarely a row.
  'hook_account_routes',
];

/** The tables that this file names. */
export const PLACED_TABLES: readonly string[] = [...COPIES, ...Object.keys(KEYS), ...Object.keys(LIMITER), ...KEPT];

/** `hasVenue`: the table has a column venue_id. */
export function placementOf(table: string, hasVenue: boolean): Placement {
  const limiter = LIMITER[table];
  if (limiter !== undefined) return limiter;
  const column = KEYS[table];
  if (column !== undefined) return { by: 'key', column };
  if (COPIES.includes(table)) return { by: 'copy' };
  return { by: hasVenue && !KEPT.includes(table) ? 'venue' : 'coordinator' };
}

/**
 * Run on the worker of the venue that p_venue names: the program calls them, and they name tables of venues and copies
 * alone.
 */
const DELEGATED: readonly string[] = [
  'allocate_timestamps',
  'dispatch_venue_events',
  'due_deliveries',
  'end_deliveries',
  'expire_checkouts',
  'open_payout',
  'record_attempts',
  'record_checkout_event',
  'record_event',
  'schedule_venue_queues',
  'store_inbound',
];

/** On every node: delegated functions, triggers and statements about a venue call them. */
const ON_EVERY_NODE: readonly string[] = [
  'add_failed_refund',
  'add_last_attempt',
  'checkout_object',
  'checkout_views',
  'enforce_append_only',
  'enforce_fixed_amounts',
  'enforce_no_deletes',
  'enforce_party_invariants',
  'enforce_transition',
  'event_object',
  'find_stored_response',
  'guest_object',
  'is_same_deadline',
  'is_venue_payable',
  'member_name',
  'member_phone_hash',
  'prefetch_checkouts',
  'queue_events',
  'share_display_name',
  'utc_micros',
  'utc_text',
];

/**
 * Run in one command on the node of an argument, though functions of the coordinator call them: calls are counted beside
 * their subject, and create_checkout inserts on the worker of the venue what it then leads to from another node.
 */
const ALWAYS_DELEGATED: Readonly<Record<string, { readonly argument: string; readonly beside: string }>> = {
  count_calls: { argument: 'p_subject', beside: 'limit_windows' },
  insert_checkout: { argument: 'p_venue', beside: 'venues' },
};

/** The functions that this file names. */
export const PLACED_FUNCTIONS: readonly string[] = [...DELEGATED, ...Object.keys(ALWAYS_DELEGATED), ...ON_EVERY_NODE];

export function functionPlacementOf(name: string): FunctionPlacement {
  if (DELEGATED.includes(name)) return { by: 'argument', argument: 'p_venue', beside: 'venues', isAlways: false };
  const always = ALWAYS_DELEGATED[name];
  if (always !== undefined) return { by: 'argument', ...always, isAlways: true };
  return { by: ON_EVERY_NODE.includes(name) ? 'copy' : 'coordinator' };
}
