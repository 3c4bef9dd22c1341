// Doing something for a screen: busy while it runs, the API's problems at their fields, and a fresh proof when it is needed.

import { useState } from 'preact/hooks';
import { askForProof } from '../shell/step-up.tsx';
import { codeOf, isApiError } from './api.ts';

export interface Action<Input extends unknown[]> {
  readonly run: (...input: Input) => Promise<void>;
  readonly isBusy: boolean;
  /** Undefined: it has not failed. */
  readonly error: unknown;
  /** The message of the API for a field, by its pointer: `/name`. Null: there is none. */
  readonly problemAt: (pointer: string) => string | null;
  /** The messages that belong to none of these fields. */
  readonly otherProblem: (pointers: readonly string[]) => unknown;
  readonly reset: () => void;
}

/** Repeats the call after the person has proved who they are, where the server asks for it. */
export async function withProof<T>(call: () => PromiseLike<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (codeOf(error) !== 'step_up_required' || !(await askForProof())) throw error;
    return call();
  }
}

export function useAction<Input extends unknown[]>(work: (...input: Input) => Promise<void>): Action<Input> {
  const [state, setState] = useState<{ readonly isBusy: boolean; readonly error?: unknown }>({ isBusy: false });
  const run = async (...input: Input): Promise<void> => {
    if (state.isBusy) return;
    setState({ isBusy: true });
    try {
      await withProof(() => work(...input));
      setState({ isBusy: false });
    } catch (error) {
      setState({ isBusy: false, error });
    }
  };
  const problems = fieldProblems(state.error);
  return {
    run,
    isBusy: state.isBusy,
    error: state.error,
    problemAt: (pointer) => sentence(problems.find(({ field }) => isAt(field, pointer))?.message ?? null),
    otherProblem: (pointers) => {
      const isPlaced = problems.length > 0 && problems.every(({ field }) => pointers.some((one) => isAt(field, one)));
      return isPlaced ? undefined : state.error;
    },
    reset: () => setState({ isBusy: false }),
  };
}

/** The API begins with the name of the field. */
const sentence = (text: string | null): string | null => text && `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

/** A problem of a part of a field belongs to the field. */
export const isAt = (field: string, pointer: string): boolean => field === pointer || field.startsWith(`${pointer}/`);

function fieldProblems(error: unknown): readonly { readonly field: string; readonly message: string }[] {
  if (!isApiError(error)) return [];
  if (error.errors.length > 0) return error.errors.map(({ field, message }) => ({ field: field ?? '', message }));
  return error.field === null ? [] : [{ field: error.field, message: error.message }];
}
