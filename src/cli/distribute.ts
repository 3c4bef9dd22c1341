// `everyshare distribute`: spreads the tables of a migrated database over the workers of a Citus cluster, by venue, and says
// what is where. It refuses a PostgreSQL without Citus, and one that servers or workers of the program use.

import { type Distribution, distribute } from '../base/distribution/distribute.ts';
import { functionPlacementOf, placementOf } from '../domain/installation/placements.ts';
import { describeProcess, listProcesses } from '../domain/monitoring/earlier-processes.ts';
import { commandError, quoted, usageError } from './cli-error.ts';
import type { Command } from './command-definition.ts';

const MAX_PORT = 65_535;

interface Address {
  readonly host: string;
  readonly port: number;
}

function addressIn(option: string, text: string): Address {
  const [, host = '', port = ''] = /^\[?([^\]\s]+?)\]?:(\d{1,5})$/.exec(text) ?? [];
  if (host === '' || Number(port) < 1 || Number(port) > MAX_PORT)
    throw usageError(`--${option}: ${quoted(text)} is not HOST:PORT, such as 10.0.0.5:5432.`);
  return { host, port: Number(port) };
}

/** The address of a URL, at which the workers reach the coordinator too. Null: a socket, or a loopback of this machine. */
function coordinatorIn(databaseUrl: string): Address | null {
  const { hostname, port, searchParams } = new URL(databaseUrl);
  if (hostname === '' || searchParams.has('host')) return null;
  return { host: hostname, port: Number(port === '' ? 5432 : port) };
}

const command: Command = {
  words: ['distribute'],
  arguments: [],
  help: 'spread the tables over the workers of a Citus cluster, by venue, while nothing runs; again after each upgrade',
  options: [
    {
      name: 'worker',
      valueName: 'HOST:PORT',
      isRepeatable: true,
      help: 'a worker node to add; it has a database of the same name with the extension citus',
    },
    {
      name: 'coordinator',
      valueName: 'HOST:PORT',
      help: 'where the workers reach the node of DATABASE_URL (its own host and port)',
    },
  ],
  async run(input, open, readSettings) {
    const workers = input.texts('worker').map((text) => addressIn('worker', text));
    const named = input.text('coordinator');
    const { databaseUrl } = readSettings();
    if (databaseUrl === null)
      throw commandError(
        'the embedded PostgreSQL cannot be distributed: set DATABASE_URL to the coordinator of a Citus cluster.',
      );
    const coordinator = named === null ? coordinatorIn(databaseUrl) : addressIn('coordinator', named);
    const { context } = await open();
    const running = (await listProcesses(context.db)) ?? [];
    if (running.length > 0)
      throw commandError(
        `stop every server and worker first: ${running.map(describeProcess).join(', ')}. One that was killed counts for a minute.`,
      );
    const steps: string[] = [];
    const result = await distribute({
      url: databaseUrl,
      placementOf,
      functionPlacementOf,
      workers,
      coordinator,
      onStep: (step) => steps.push(step),
    });
    return { json: { ...result, steps }, text: describe(result) };
  },
};

function describe({ workers, tables, delegated, changed }: Distribution): string {
  return [
    `workers          ${workers.join(', ')}`,
    `by venue         ${tables.venue} tables, each venue on one worker`,
    `by their key     ${tables.key} tables that lead from an id to a venue`,
    `on every node    ${tables.copy} tables`,
    `coordinator      ${tables.coordinator} tables`,
    `functions        ${delegated} run on the worker of their venue`,
    changed === 0 ? 'Nothing was left to do.' : `${changed} tables and functions were placed by this run.`,
  ].join('\n');
}

export const distributeCommands: readonly Command[] = [command];
