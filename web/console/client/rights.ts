// What a role may do, so that a screen offers no button that the server would refuse. The server decides; a refusal is shown in
// its words.

import type { AccountVenue } from './types.gen.ts';

type Role = AccountVenue['role'];

export const mayRefund = (role: Role): boolean => role === 'owner' || role === 'finance';
/** Create and cancel checkouts. */
export const mayChangeCheckouts = (role: Role): boolean => role === 'owner';
/** A live key with this scope can refund: an owner makes it. */
export const mayGiveScope = (role: Role, scope: string): boolean => role === 'owner' || scope !== 'checkouts:write';
/** Keys, endpoints, deliveries, and the helpers of test mode. */
export const mayDevelop = (role: Role): boolean => role === 'owner' || role === 'developer';
