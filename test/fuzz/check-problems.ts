// The rules for a list of problems, in a response and in a tool's result: the first of them is the error, and each has
// a pointer, a remedy and a documentation page.

export interface ProblemList {
  readonly error?: { readonly code?: string; readonly field?: string };
  readonly errors?: readonly {
    readonly code: string;
    readonly field: string;
    readonly expected: string;
    readonly example_fix: unknown;
    readonly example_fix_field?: string;
    readonly doc_url: string;
  }[];
}

export function findProblemFaults(base: string, { error, errors }: ProblemList): string[] {
  const [first] = errors ?? [];
  if (first === undefined) return ['a 422 without errors[]'];
  const faults: string[] = [];
  if (first.code !== error?.code || first.field !== error?.field) faults.push('error is not the first of errors[]');
  for (const { field, expected, doc_url, code, example_fix } of errors ?? []) {
    if (!/^(\/|$)/.test(field)) faults.push(`"${field}" is not a pointer`);
    if (expected.trim() === '') faults.push(`${field} has no remedy`);
    if ((example_fix ?? null) === null && code !== 'unknown_field') faults.push(`${field} has no example_fix`);
    if (doc_url !== `${base}/docs/errors/${code}`) faults.push(`doc_url of ${field} is not the page of ${code}`);
  }
  return faults;
}
