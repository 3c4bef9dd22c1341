// The statements of blocks: calls of one minute that succeeded and have all but id, time and path in common are one row.
// Blocks of several servers overlap, so what is asked for is a range of ids, and every block that may have one is read.

import type { Mode } from '../../base/config.ts';
import type { Queryable } from '../../base/db.ts';
import type { IdRange } from './id-range.ts';
import type { LineFilter, RequestRow } from './queries.ts';

export interface RequestBlock {
  readonly venue_id: string;
  readonly mode: Mode;
  readonly slot: number;
  /** The least and the greatest id of its calls. */
  readonly first_id: string;
  readonly last_id: string;
  readonly line_count: number;
  readonly key_id: string;
  readonly method: string;
  readonly route: string | null;
  readonly operation: string | null;
  readonly tool: string | null;
  readonly status: number;
  readonly replayed: boolean;
  readonly address: string;
  readonly user_agent: string | null;
  /** A line for each call: its id, its milliseconds, and its path, which has no end of a line. */
  readonly lines: string;
}

const COLUMNS = `venue_id, mode, slot, first_id, last_id, line_count, key_id, method, route, operation, tool, status, replayed,
  address, user_agent`;

/**
 * `mayExist`: some may be stored already, since the outcome of an earlier try is not known. Then they are looked for, which
 * costs up to a third more where blocks are short. Lines are sent beside the JSON, since reading JSON costs more.
 */
export async function insertBlocks(db: Queryable, blocks: readonly RequestBlock[], mayExist: boolean): Promise<void> {
  await db.query(
    `insert into request_blocks (${COLUMNS}, lines)
     select b.* from rows from (
       json_to_recordset($1::json) as (venue_id uuid, mode text, slot smallint, first_id text, last_id text, line_count smallint,
         key_id text, method text, route text, operation text, tool text, status smallint, replayed boolean, address text,
         user_agent text),
       string_to_table($2, e'\\n\\n')) as b
     ${mayExist ? 'on conflict do nothing' : ''}`,
    [JSON.stringify(blocks.map(({ lines: _, ...head }) => head)), blocks.map(({ lines }) => lines).join('\n\n')],
  );
}

const OVERLAPS = `b.venue_id = $1 and b.mode = $2 and b.slot = any($3::smallint[]) and b.last_id >= $4 and b.first_id < $5
  and b.last_id < $6`;

const valuesOf = ({ venueId, mode, slots, from, to, blocksEnd }: IdRange): unknown[] => [
  venueId,
  mode,
  slots,
  from,
  to,
  blocksEnd,
];

/** Of a line without its id: the milliseconds, and the path behind the next space. */
const PATH = `substr(l.line, strpos(substr(l.line, 32), ' ') + 32)`;

/** The newest lines of blocks that meet the filter, newest first. */
export async function listBlockLines(db: Queryable, range: IdRange, filter: LineFilter): Promise<RequestRow[]> {
  // No block has a failed call.
  if (filter.code !== null || filter.minStatus >= 400) return [];
  const rows = await db.query<Omit<RequestRow, 'id' | 'path' | 'duration_ms'> & { readonly line: string }>(
    `select b.mode, b.key_id, b.method, b.route, b.operation, b.tool, b.status, null as code, null as reason, null as field,
       0 as problem_count, b.replayed, b.address, b.user_agent, l.line
     from request_blocks b cross join lateral string_to_table(b.lines, e'\\n') as l (line)
     where ${OVERLAPS} and b.status between $7 and $8 and ($9::text is null or b.method = $9)
       and ($10::text is null or b.operation = $10) and ($11::text is null or b.key_id = $11)
       and ($12::text is null or strpos(lower(b.lines), lower($12)) > 0)
       and l.line collate "C" >= $4 and l.line collate "C" < $5
       and ($12::text is null or strpos(lower(${PATH}), lower($12)) > 0)
     order by l.line collate "C" desc limit $13`,
    [
      ...valuesOf(range),
      filter.minStatus,
      filter.maxStatus,
      filter.method,
      filter.operation,
      filter.keyId,
      filter.search,
      filter.limit,
    ],
  );
  return rows.map(({ line, ...head }) => ({ ...head, ...partsOf(line) }));
}

function partsOf(line: string): Pick<RequestRow, 'id' | 'path' | 'duration_ms'> {
  const idEnd = line.indexOf(' ');
  const durationEnd = line.indexOf(' ', idEnd + 1);
  return {
    id: line.slice(0, idEnd),
    duration_ms: Number(line.slice(idEnd + 1, durationEnd)),
    path: line.slice(durationEnd + 1),
  };
}

/** How many lines of blocks each key has in the range. Only a block that the range cuts is taken apart. */
export async function countBlockLines(
  db: Queryable,
  range: IdRange,
): Promise<{ readonly key_id: string; readonly count: number }[]> {
  return db.query(
    `select key_id, sum(count)::int as count from (
       select b.key_id, case when b.first_id >= $4 and b.last_id < $5 then b.line_count else (
         select count(*) from string_to_table(b.lines, e'\\n') as l (line)
         where l.line collate "C" >= $4 and l.line collate "C" < $5) end as count
       from request_blocks b where ${OVERLAPS}) counted
     where count > 0 group by key_id`,
    valuesOf(range),
  );
}
