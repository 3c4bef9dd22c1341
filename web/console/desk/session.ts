// The operator at the desk, and the client of the desk's calls.

import { signal } from '@preact/signals';
import { accountClient } from '../client/api.ts';
import type { DeskSession } from '../client/types.gen.ts';

export const operator = signal<DeskSession | null>(null);
/** How many objects wait for review, as the queue last said; null: not known yet. */
export const waitingReviews = signal<number | null>(null);

/** The desk is outside of venues: its calls name none. */
export const desk = accountClient.console;

export async function loadOperator(): Promise<void> {
  operator.value = await desk.getDeskSession();
}

type Role = DeskSession['role'];

const hasRole = (...roles: readonly Role[]): boolean => operator.value !== null && roles.includes(operator.value.role);

/** Buttons that the server would refuse are not shown. */
export const mayReview = (): boolean => hasRole('admin', 'reviewer');
export const mayMoveMoney = (): boolean => hasRole('admin', 'finance');
export const maySetFees = (): boolean => hasRole('admin', 'finance');
/** Suspend, resume, limits. */
export const mayChangeVenues = (): boolean => hasRole('admin');
