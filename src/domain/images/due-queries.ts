// The pictures that wait for a loop of the worker.

import type { Queues } from '../../base/due-rows.ts';

/** After this an image that no page shows is deleted. */
export const UNUSED_MS = 90 * 24 * 3_600_000;

export const IMAGE_QUEUES: Queues = {
  'fetch-images': { table: 'images', dueAt: 'due_at' },
  'delete-old-images': { table: 'images', dueAt: 'wanted_at', afterMs: UNUSED_MS },
};
