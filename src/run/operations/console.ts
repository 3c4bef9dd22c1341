// What the console calls beside the operations of partners: accounts, sessions and people. They are in
// /console/openapi.json, and take a session from our own origin alone.

import { endOwnSession, listOwnSessions, signOut } from '../../domain/accounts/sessions.ts';
import { showSession } from '../../domain/accounts/show-session.ts';
import { signIn, verifySignIn } from '../../domain/accounts/sign-in.ts';
import type { AppOperation } from '../app-operation.ts';
import { listed, only, plain } from './shapes.ts';

const CONSOLE = { kind: 'external', audience: 'console', tag: 'Console' } as const;

export const consoleOperations: readonly AppOperation[] = [
  {
    ...CONSOLE,
    id: 'signInToConsole',
    method: 'POST',
    path: '/console/api/sign_in',
    summary: 'Ask for a sign-in code by mail',
    description:
      'The answer is the same for known and unknown mail addresses. The code has six digits, and is valid for 10 minutes and 5 tries. A mail address gets 5 codes an hour, a network address 30.',
    auth: 'open',
    effect: 'write',
    body: only('console_sign_in'),
    responses: { 200: plain('The code is on its way.', 'console_challenge') },
    run: signIn,
  },
  {
    ...CONSOLE,
    id: 'verifyConsoleSignIn',
    method: 'POST',
    path: '/console/api/sign_in/verify',
    summary: 'Sign in, or sign up, with the code',
    description:
      'Sets the cookie of the session. A mail address without an account signs up: it gets an account, and a sandbox venue with role `owner`, one secret and one publishable test key, which are in this answer only.',
    auth: 'open',
    effect: 'write',
    body: only('console_sign_in_verify'),
    responses: { 200: plain('The account, its venues and the session.', 'console_signed_in') },
    run: verifySignIn,
  },
  {
    ...CONSOLE,
    id: 'getConsoleSession',
    method: 'GET',
    path: '/console/api/session',
    summary: 'Get the signed-in person and their venues',
    auth: 'account',
    effect: 'read',
    responses: { 200: plain('The account, its venues and the session.', 'console_session') },
    run: showSession,
  },
  {
    ...CONSOLE,
    id: 'signOutOfConsole',
    method: 'POST',
    path: '/console/api/sign_out',
    summary: 'Sign out',
    description: 'Ends the session and deletes its cookie.',
    auth: 'account',
    effect: 'write',
    responses: { 200: plain('The session is ended.', 'ended_session') },
    run: signOut,
  },
  {
    ...CONSOLE,
    id: 'listConsoleSessions',
    method: 'GET',
    path: '/console/api/sessions',
    summary: 'List the sessions of the signed-in person',
    description: 'Newest first, at most 100. A session ends after 12 hours without a request, and after 7 days.',
    auth: 'account',
    effect: 'read',
    responses: { 200: listed('Every open session.', 'account_session') },
    run: listOwnSessions,
  },
  {
    ...CONSOLE,
    id: 'endConsoleSession',
    method: 'DELETE',
    path: '/console/api/sessions/{id}',
    summary: 'End a session of the signed-in person',
    auth: 'account',
    effect: 'write',
    responses: { 200: plain('The session is ended.', 'ended_session') },
    errors: ['not_found'],
    run: endOwnSession,
  },
];
