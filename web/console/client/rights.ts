// What a role may do, so that a screen offers no button that the server would refuse. The server decides; a refusal is shown in
// its words.

import type { AccountVenue } from './types.gen.ts';

type Role = AccountVenue['role'];

export const mayRefund = (role: Role): boolean => role === 'owner' || role === 'finance';
/** Create and cancel checkouts. */
export const mayChangeCheckouts = (role: Role): boolean => role === 'owner';
/** Keys, endpoints, deliveries, and the helpers of test mode. */
export const mayDevelop = (role: Role): boolean => role === 'owner' || role === 'developer';
