// Opens the source of a stream: input → source. Problems are thrown before the first byte is sent.

import type { EventSource } from '../base/operation.ts';
import type { AppStreamOperation } from './app-operation.ts';
import { checkInput, type RequestInput } from './check-input.ts';
import type { AppContext } from './context.ts';
import { isPartner, type Principal } from './principal.ts';
import { unavailableProblem } from './problem.ts';

export async function openStream(
  context: AppContext,
  operation: AppStreamOperation,
  principal: Principal | null,
  request: RequestInput,
  signal: AbortSignal,
): Promise<EventSource> {
  if (!isPartner(principal)) throw new Error(`${operation.id} was not called by a caller of type ${operation.auth}`);
  try {
    await checkInput(context, operation, principal, request);
    const header = request.headers?.['last-event-id'];
    const lastEventId = typeof header === 'string' && header !== '' ? header : null;
    return await operation.open(context.services, principal, lastEventId, signal);
  } catch (error) {
    throw unavailableProblem(error) ?? error;
  }
}
