// The processor's responses that are not an operation's result: replays, errors and failures, with their headers.

import { ApiError } from './api-error.ts';
import type { ApiResponse } from './messages.ts';
import type { StoredResponseRow } from './row-types.ts';
import { API_VERSION } from './webhook-objects.ts';

export const UNKNOWN_ERROR = 'An unknown error occurred.';
const FAULT_ERROR = 'An unknown error occurred (a fault that was switched on).';

export function responseHeaders(requestId: string, key?: string): Record<string, string> {
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    'request-id': requestId,
    'stripe-version': API_VERSION,
  };
  if (key !== undefined) headers['idempotency-key'] = key;
  return headers;
}

export function replayedResponse(
  { status, body, request }: StoredResponseRow,
  requestId: string,
  key: string,
): ApiResponse {
  const headers = { ...responseHeaders(requestId, key), 'idempotent-replayed': 'true', 'original-request': request };
  return { status, headers, body };
}

export function errorResponse(error: ApiError, requestId: string): ApiResponse {
  return { status: error.status, headers: responseHeaders(requestId), body: error.body() };
}

export function unknownUrl(method: string, path: string): ApiError {
  const message = `Unrecognized request URL (${method}: ${path}).`;
  return new ApiError(404, { type: 'invalid_request_error', message }, false);
}

export function internalError(headers: Record<string, string>, message = FAULT_ERROR): ApiResponse {
  return { status: 500, headers, body: new ApiError(500, { type: 'api_error', message }, false).body() };
}

/** That Stripe refuses an operation with this code while an account is under review is a guess. */
export function refusalForNow(headers: Record<string, string>): ApiResponse {
  const message = 'Your account cannot currently make live charges (a fault that was switched on).';
  const error = new ApiError(400, { type: 'invalid_request_error', code: 'account_restricted', message }, true);
  return { status: error.status, headers, body: error.body() };
}
