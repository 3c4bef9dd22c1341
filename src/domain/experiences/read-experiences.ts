// GET /v1/experiences and /v1/experiences/{id}: the venue's own submissions, newest first.

import { getOperation, listOperation } from '../catalogue/read-operations.ts';
import { shownSubmission } from './experience.ts';
import { findExperience, listExperienceRows } from './queries.ts';

export const getExperience = getOperation(findExperience, shownSubmission);
export const listExperiences = listOperation(listExperienceRows, (row) => row.created_at, shownSubmission);
