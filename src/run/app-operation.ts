// The operations of this service: the kinds of base/operation.ts with our callers and services.

import type { Operation, ToolServerOperation } from '../base/operation.ts';
import type { AppContext } from './context.ts';
import type { Callers } from './principal.ts';

export type AppOperation = Operation<Callers, AppContext['services']>;

/** An operation that `perform` runs: every one but the tool server's and the streams. */
export type RunnableOperation = Exclude<AppOperation, ToolServerOperation | AppStreamOperation>;

export type AppStreamOperation = Extract<AppOperation, { readonly kind: 'stream' }>;

/** An operation whose input is parsed and validated, instead of handed over as it arrived. */
export type ValidatedOperation = Exclude<AppOperation, ToolServerOperation | { readonly kind: 'intake' }>;
