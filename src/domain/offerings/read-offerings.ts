// GET /v1/offerings and /v1/offerings/{id}: the venue's own, most recently changed first.

import { getOperation, listOperation } from '../catalogue/read-operations.ts';
import { offeringView } from './offering.ts';
import { findOffering, listOfferingRows } from './queries.ts';

export const getOffering = getOperation(findOffering, offeringView);
export const listOfferings = listOperation(listOfferingRows, (row) => row.changed_at, offeringView);
