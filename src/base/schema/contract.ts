// The contract as commands use it: is this value right, what is it in its normal form, and is it the same as another?
// One piece of code for HTTP, the tool server, the command line and what comes in from venue systems.

import { createHash } from 'node:crypto';
import type { FieldProblem } from '../errors.ts';
import { canonicalJson } from '../json/canonical.ts';
import type { JsonValue } from '../json/parse.ts';
import { defaultsWritten, timesInUtc } from './normal.ts';
import type { Registry } from './registry.ts';
import type { Candidate, Validator } from './validate.ts';

/** A rule between fields: see schemas/rules. */
export type RuleOf<Facts> = (value: unknown, at: string, report: (problem: FieldProblem) => void, facts: Facts) => void;

export interface RuleBook<Facts> {
  readonly always: Readonly<Record<string, RuleOf<Facts>>>;
  /** Rules of the clock: they hold for a new object alone, so that a faithful replay stays one. */
  readonly whenNew: Readonly<Record<string, RuleOf<Facts>>>;
}

export interface ValidationResult {
  /** Everything that is wrong, whatever the value is for. */
  readonly problems: readonly FieldProblem[];
  /** Everything that is wrong if it is to become a new object; the problems above among them. */
  readonly whenNew: readonly FieldProblem[];
}

export interface Contract<Facts> {
  validate(schema: string, candidate: Candidate, facts: Facts): ValidationResult;
  /** With every time in UTC. */
  normalize(schema: string, value: JsonValue): JsonValue;
  /** Equal for two values that say the same: member order and written-out defaults do not matter. */
  fingerprint(schema: string, value: JsonValue): Buffer;
}

export function makeContract<Facts>(registry: Registry, validator: Validator, book: RuleBook<Facts>): Contract<Facts> {
  return {
    validate(schema, candidate, facts) {
      const always = book.always[schema];
      const whenNew = book.whenNew[schema];
      const run = (rules: readonly (RuleOf<Facts> | undefined)[]): FieldProblem[] =>
        validator.problems(schema, candidate, (value, report) => {
          for (const rule of rules) rule?.(value, '', report, facts);
        });
      const problems = run([always]);
      return { problems, whenNew: whenNew === undefined ? problems : run([always, whenNew]) };
    },
    normalize: (schema, value) => timesInUtc(registry, schema, value),
    fingerprint: (schema, value) =>
      createHash('sha256')
        .update(canonicalJson(defaultsWritten(registry, schema, value)))
        .digest(),
  };
}

/** A value that did not come as text (from a program, a file of ours, a part of a body). */
export function candidateFrom(value: JsonValue): Candidate {
  return { value, text: null, badStrings: [] };
}
