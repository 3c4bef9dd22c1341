// The operations of this service: the kinds of base/operation.ts with our callers and services.

import type { Operation, ToolServerOperation } from '../base/operation.ts';
import type { AppContext } from './context.ts';
import type { Callers } from './principal.ts';

export type AppOperation = Operation<Callers, AppContext['services']>;

/** An operation that `perform` runs: every one but the tool server's. */
export type RunnableOperation = Exclude<AppOperation, ToolServerOperation>;

/** A runnable operation whose input is parsed and validated, instead of handed over as it arrived. */
export type ValidatedOperation = Exclude<RunnableOperation, { readonly kind: 'intake' }>;
