// Records every call of the `stripe` SDK in this process: the method, the arguments as the caller passed them, and what
// came back. It replaces the methods of the SDK's resources, so it sees calls of every client until it is stopped.

import Stripe from 'stripe';

export interface RecordedCall {
  /** Such as `paymentIntents.create`. */
  readonly method: string;
  readonly args: readonly unknown[];
  /** Null while the call is under way. */
  outcome: { readonly object: object } | { readonly error: unknown } | null;
}

export interface SdkRecorder {
  readonly calls: readonly RecordedCall[];
  /** Resolves when no recorded call is under way. */
  settled(): Promise<void>;
  stop(): void;
}

type Methods = Record<string, (...args: unknown[]) => unknown>;

export function startSdkRecorder(): SdkRecorder {
  const calls: RecordedCall[] = [];
  const underWay = new Set<Promise<unknown>>();
  const undo: (() => void)[] = [];
  const record = (method: string, args: readonly unknown[], result: PromiseLike<object>): void => {
    const call: RecordedCall = { method, args: structuredClone(args), outcome: null };
    calls.push(call);
    const ended = Promise.resolve(
      result.then(
        (object) => {
          call.outcome = { object };
        },
        (error: unknown) => {
          call.outcome = { error };
        },
      ),
    ).finally(() => underWay.delete(ended));
    underWay.add(ended);
  };
  for (const [path, prototype] of resourcePrototypes()) {
    for (const name of Object.getOwnPropertyNames(prototype)) {
      const original = prototype[name];
      if (name === 'constructor' || name.startsWith('_') || original === undefined) continue;
      prototype[name] = function recorded(this: unknown, ...args: unknown[]): unknown {
        const result = original.apply(this, args);
        if (result instanceof Promise) record(`${path}.${name}`, args, result);
        return result;
      };
      undo.push(() => {
        prototype[name] = original;
      });
    }
  }
  return {
    calls,
    async settled() {
      while (underWay.size > 0) await Promise.all(underWay);
    },
    stop() {
      for (const restore of undo) restore();
    },
  };
}

/** The classes of the SDK's resources, by their path from the client: `paymentIntents`, `v2.core.accounts`. */
function resourcePrototypes(): Map<string, Methods> {
  const found = new Map<string, Methods>();
  const seen = new Set<unknown>();
  const visit = (value: object, path: readonly string[]): void => {
    for (const [name, inner] of Object.entries(value)) {
      if (name.startsWith('_') || typeof inner !== 'object' || inner === null || seen.has(inner)) continue;
      seen.add(inner);
      const prototype: unknown = Object.getPrototypeOf(inner);
      if (inner instanceof Stripe.StripeResource && !seen.has(prototype)) {
        found.set([...path, name].join('.'), prototype as Methods);
        seen.add(prototype);
      }
      visit(inner, [...path, name]);
    }
  };
  const client = new Stripe('sk_test_recorder');
  seen.add(client);
  visit(client, []);
  return found;
}
