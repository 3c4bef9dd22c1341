// Opens the source of a stream: input → source. Problems are thrown before the first byte is sent.

import type { EventSource } from '../base/operation.ts';
import type { AppStreamOperation } from './app-operation.ts';
import { checkInput, type RequestInput } from './check-input.ts';
import type { AppContext } from './context.ts';
import { isMember, isPartner, type Principal } from './principal.ts';
import { unavailableProblem } from './problem.ts';

export async function openStream(
  context: AppContext,
  operation: AppStreamOperation,
  principal: Principal | null,
  request: RequestInput,
  signal: AbortSignal,
): Promise<EventSource> {
  try {
    await checkInput(context, operation, isPartner(principal) ? principal : null, request);
    const header = request.headers?.['last-event-id'];
    const input = {
      params: request.params,
      lastEventId: typeof header === 'string' && header !== '' ? header : null,
    };
    if (isPartner(principal)) return await operation.open(context.services, principal, input, signal);
    if (operation.auth === 'guest' && isMember(principal))
      return await operation.open(context.services, principal, input, signal);
  } catch (error) {
    throw unavailableProblem(error) ?? error;
  }
  throw new Error(`${operation.id} was not called by a caller of type ${operation.auth}`);
}
