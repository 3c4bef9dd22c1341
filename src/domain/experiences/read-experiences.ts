// GET /v1/experiences and /v1/experiences/{id}: the venue's own submissions, newest first.

import { getOperation, listOperation } from '../catalogue/read-operations.ts';
import { submissionView } from './experience.ts';
import { findExperience, listExperienceRows } from './queries.ts';

export const getExperience = getOperation(findExperience, submissionView);
export const listExperiences = listOperation(listExperienceRows, (row) => row.created_at, submissionView);
