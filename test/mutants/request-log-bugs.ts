// Bugs in the request log: what it keeps, what it hides, and what it does without room or database.

import type { Mutant } from './list.ts';

const LOG = 'src/domain/requests/request-log.ts';
const QUERIES = 'src/domain/requests/queries.ts';
const BUFFER_TEST = ['test/requests/buffer.test.ts'];
const BLOCK_TEST = ['test/requests/blocks.test.ts'];
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
    from: 'if (status === 401 || status === 403) continue;',
    to: 'if (status === 401) continue;',
    tests: READ_TEST,
  },
  {
    area: 'logs',
    bug: 'a day that is still kept is deleted',
    file: QUERIES,
    from: 'slotsBetween(now - days * DAY_MS, now + DAY_MS)',
    to: 'slotsBetween(now - (days - 1) * DAY_MS, now + DAY_MS)',
    tests: BUFFER_TEST,
  },
  {
    area: 'logs',
    bug: 'blocks of old days are kept',
    file: QUERIES,
    from: "['request_log', 'request_blocks']",
    to: "['request_log']",
    tests: BUFFER_TEST,
  },
  {
    area: 'logs',
    bug: 'a batch whose outcome is not known grows before it is sent again',
    file: LOG,
    from: 'const batch = this.#unknown ?? this.#lines.slice(0, BATCH_LINES);',
    to: 'const batch = this.#lines.slice(0, BATCH_LINES);',
    tests: BLOCK_TEST,
  },
  {
    area: 'logs',
    bug: 'a block has calls of several minutes',
    file: 'src/domain/requests/group-calls.ts',
    from: 'call.requestId < minute[1]',
    to: 'true',
    tests: BLOCK_TEST,
  },
  {
    area: 'logs',
    bug: 'a block that begins before a range is not read for it',
    file: 'src/domain/requests/block-queries.ts',
    from: 'and b.last_id >= $4 and b.first_id < $5',
    to: 'and b.first_id >= $4 and b.first_id < $5',
    tests: BLOCK_TEST,
  },
  {
    area: 'logs',
    bug: 'a block that ends after a range is not read for it',
    file: 'src/domain/requests/id-range.ts',
    from: 'blocksEnd: minuteOf(end)[1],',
    to: 'blocksEnd: least(to),',
    tests: BLOCK_TEST,
  },
  {
    area: 'logs',
    bug: 'of a block that a range cuts, all calls are counted',
    file: 'src/domain/requests/block-queries.ts',
    from: 'when b.first_id >= $4 and b.last_id < $5',
    to: 'when true',
    tests: BLOCK_TEST,
  },
];
