// What became of each sample that was delivered to a running server, as a table.

import type { BodySource } from '../support/venue-bodies.ts';

export interface OutcomeRow {
  readonly provider: string;
  readonly description: string;
  readonly source: BodySource;
  readonly changed: string | undefined;
  readonly status: string;
  readonly reason: string | null;
}

export function outcomeTable(rows: readonly OutcomeRow[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  const body = rows.map(({ provider, description, source, changed, status, reason }) =>
    line([
      provider,
      description,
      `${source.from}${source.isSecondHand === true ? ', second hand' : ''}: ${source.where}${changed === undefined ? '' : ` (ours: ${changed})`}`,
      `\`${status}\``,
      reason ?? '',
    ]),
  );
  const head = ['Provider', 'Delivery', 'Source', 'Outcome', 'Reason'];
  return `${[line(head), line(head.map(() => '---')), ...body].join('\n')}\n`;
}
