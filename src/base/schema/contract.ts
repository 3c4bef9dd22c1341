// The contract as commands use it: validate a value, normalize it, and compare it with another. HTTP, the tool server, the
// command line and the hooks of venue systems share this code.

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
  /** Rules about the current time. They apply to new objects only, so that an unchanged replay stays valid. */
  readonly whenNew: Readonly<Record<string, RuleOf<Facts>>>;
}

export interface ValidationResult {
  /** All problems, whether the object exists or not. */
  readonly problems: readonly FieldProblem[];
  /** All problems of a new object, including those above. */
  readonly whenNew: readonly FieldProblem[];
}

export interface Contract<Facts> {
  validate(schema: string, candidate: Candidate, facts: Facts): ValidationResult;
  /** With every time in UTC. */
  normalize(schema: string, value: JsonValue): JsonValue;
  /** Equal for two values with the same meaning: member order and explicit defaults do not matter. */
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

/** For a value that was not parsed from a request's text. */
export function candidateFrom(value: JsonValue): Candidate {
  return { value, text: null, badStrings: [] };
}
