// An owner accepts the terms of the service for the venue. What was accepted is named by its address, so that other terms
// have to be accepted again.

import type { TermsAccept } from '../../../schemas/types.gen.ts';
import { conflict, invalid } from '../../base/errors.ts';
import type { Input, OperationResult } from '../../base/operation.ts';
import type { TeamCaller } from '../accounts/account.ts';
import { audit } from '../venues/audit.ts';
import { lockVenue } from '../venues/queries.ts';
import { linkWhenReady } from './link-when-ready.ts';
import { setTermsAccepted } from './queries.ts';
import { type GoLiveServices, goLiveBody } from './show-go-live.ts';

export async function acceptTerms(
  services: GoLiveServices,
  caller: TeamCaller,
  { body }: Input<TermsAccept>,
): Promise<OperationResult> {
  const { goLive, db } = services;
  const { venue, account, now } = caller;
  const { termsUrl: url } = goLive;
  if (url === null) throw conflict('no_terms', 'This service has no terms that a venue accepts.');
  if (body.url !== url) throw otherTerms(url);
  await db.transaction(async (tx) => {
    await lockVenue(tx, venue.id);
    if (!(await setTermsAccepted(tx, venue.id, { url, by: account.id, now }))) return;
    await audit(tx, caller, { venueId: venue.id, action: 'terms.accept', subject: url });
    await linkWhenReady(tx, caller, venue.id, goLive);
  });
  return { status: 200, body: await goLiveBody(db, venue.id, services) };
}

function otherTerms(url: string) {
  return invalid([
    {
      code: 'invalid_value',
      field: '/url',
      message: `These are not the terms of this service, or they have changed since they were shown. Show ${url}, then send its address.`,
      expected: url,
      example_fix: url,
    },
  ]);
}
