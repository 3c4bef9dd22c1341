// Going live in the console: the checklist of a venue, and what completes its lines. It concerns the venue, not a mode: a
// session in test mode makes these calls until the venue is linked.

import { acceptTerms } from '../../domain/go-live/accept-terms.ts';
import { showGoLive } from '../../domain/go-live/show-go-live.ts';
import { startPayoutOnboarding } from '../../domain/go-live/start-payouts.ts';
import {
  checkDomain,
  sendDomainCode,
  startDomainVerification,
  verifyDomainCode,
} from '../../domain/go-live/verify-domain.ts';
import type { AppOperation } from '../app-operation.ts';
import { only, plain } from './shapes.ts';

const GO_LIVE = { kind: 'external', audience: 'console', tag: 'Going live', auth: 'team' } as const;

export const consoleGoLive: readonly AppOperation[] = [
  {
    ...GO_LIVE,
    id: 'getGoLive',
    method: 'GET',
    path: '/console/api/go_live',
    summary: 'Get the checklist of going live',
    description:
      'Each line is computed when it is read. When all hold, the venue is linked: live keys can be created, and venue systems connected.',
    effect: 'read',
    responses: { 200: plain('The checklist.', 'go_live') },
    run: showGoLive,
  },
  {
    ...GO_LIVE,
    id: 'startDomainVerification',
    method: 'POST',
    path: '/console/api/go_live/domain',
    summary: 'Name the domain of the venue',
    description:
      'The answer has the TXT record that shows that the domain is the venue’s. Naming the same domain again keeps its record; another domain replaces one that is not verified. A verified one stays (409 `domain_verified`).',
    effect: 'write',
    body: only('domain_create'),
    responses: { 200: plain('The checklist, with the record.', 'go_live') },
    errors: ['conflict'],
    run: startDomainVerification,
  },
  {
    ...GO_LIVE,
    id: 'checkDomain',
    method: 'POST',
    path: '/console/api/go_live/domain/check',
    summary: 'Look for the record of the domain now',
    description:
      'The record counts at `_everyshare.<domain>` and at the domain itself. If it is not there, `domain.check` says what was found. At most 60 times an hour for a venue.',
    effect: 'write',
    responses: { 200: plain('The checklist, with what was found.', 'go_live') },
    errors: ['conflict'],
    run: checkDomain,
  },
  {
    ...GO_LIVE,
    id: 'sendDomainCode',
    method: 'POST',
    path: '/console/api/go_live/domain/mail',
    summary: 'Mail a code to an address at the domain',
    description:
      'In place of the TXT record. Addresses at public mail providers are refused. The code is valid for 10 minutes and 5 tries, in this session.',
    effect: 'write',
    body: only('domain_mail'),
    responses: { 200: plain('The code is on its way.', 'console_challenge') },
    errors: ['conflict'],
    run: sendDomainCode,
  },
  {
    ...GO_LIVE,
    id: 'verifyDomainCode',
    method: 'POST',
    path: '/console/api/go_live/domain/mail/verify',
    summary: 'Verify the domain with the mailed code',
    effect: 'write',
    body: only('domain_code'),
    responses: { 200: plain('The checklist.', 'go_live') },
    errors: ['conflict'],
    run: verifyDomainCode,
  },
  {
    ...GO_LIVE,
    id: 'startPayoutOnboarding',
    method: 'POST',
    path: '/console/api/go_live/payouts',
    summary: 'Begin or continue the payout onboarding',
    description:
      'The answer is the address of the card processor’s own form, for live mode. It leads back to a page of this service that says what is still due, and links to the console.',
    effect: 'write',
    stepUp: 'always',
    body: only('payout_onboarding_create'),
    responses: { 200: plain('The address of the form.', 'payout_onboarding') },
    errors: ['conflict'],
    run: startPayoutOnboarding,
  },
  {
    ...GO_LIVE,
    id: 'acceptTerms',
    method: 'POST',
    path: '/console/api/go_live/terms',
    summary: 'Accept the terms of the service',
    description: 'Who accepted which address, and when, is stored and audited.',
    effect: 'write',
    body: only('terms_accept'),
    responses: { 200: plain('The checklist.', 'go_live') },
    errors: ['conflict'],
    run: acceptTerms,
  },
];
