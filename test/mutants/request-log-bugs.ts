// Bugs in the request log: what it keeps, what it hides, and what it does without room or database.

import type { Mutant } from './list.ts';

const LOG = 'src/domain/requests/request-log.ts';
const QUERIES = 'src/domain/requests/queries.ts';
const BUFFER_TEST = ['test/requests/buffer.test.ts'];
const READ_TEST = ['test/requests/request-log.test.ts'];

export const REQUEST_LOG_BUGS: readonly Mutant[] = [
  {
    area: 'logs',
    bug: 'a member with a secret name is kept',
    file: 'src/base/mask-body.ts',
    from: 'this.#isSecret = this.#isSecretName(plain);',
    to: "this.#isSecret = this.#isSecretName('');",
    tests: ['test/requests/mask.test.ts'],
  },
  {
    area: 'logs',
    bug: 'a call with an expired or revoked key is not kept',
    file: 'src/http/log-request.ts',
    from: 'if (caller !== null || statusCode < 400) return null;',
    to: 'if (caller === null || statusCode < 400) return null;',
    tests: READ_TEST,
  },
  {
    area: 'logs',
    bug: 'the buffer has no bound',
    file: LOG,
    from: 'this.#lines.length >= MAX_LINES || this.#bytes >= MAX_BYTES',
    to: 'this.#lines.length >= 100 * MAX_LINES',
    tests: BUFFER_TEST,
  },
  {
    area: 'logs',
    bug: 'a batch is lost when the database is gone',
    file: LOG,
    from: '          this.#reportOutage(error);\n          return;',
    to: '          this.#reportOutage(error);',
    tests: BUFFER_TEST,
  },
  {
    area: 'logs',
    bug: 'a refused call counts as a use of its key',
    file: LOG,
    from: 'if (status === 401 || status === 403) return;',
    to: 'if (status === 401) return;',
    tests: READ_TEST,
  },
  {
    area: 'logs',
    bug: 'a day that is still kept is deleted',
    file: QUERIES,
    from: 'from: now - days * DAY_MS, to: now + DAY_MS });',
    to: 'from: now - (days - 1) * DAY_MS, to: now + DAY_MS });',
    tests: BUFFER_TEST,
  },
];
