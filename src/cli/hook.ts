// The operator's commands for hook addresses that several venues share: create, list, route, revoke.

import { PROVIDERS_WITH_SHARED_HOOKS } from '../domain/hooks/providers.ts';
import { listSharedHooks, type SharedHookRow } from '../domain/hooks/shared-hook-queries.ts';
import { createSharedHook, revokeSharedHook, routeAccount } from '../domain/hooks/shared-hooks.ts';
import { commandError } from './cli-error.ts';
import type { Command, Option } from './command-definition.ts';
import { choiceOption, parseId } from './options.ts';
import { requireVenue } from './require-venue.ts';
import { formatTimestamp, table } from './table.ts';

const MODES = ['test', 'live'] as const;
const MAX_LISTED = 500;
const MAX_ACCOUNT_LENGTH = 128;

const PROVIDER: Option = {
  name: 'provider',
  valueName: 'PROVIDER',
  isRequired: true,
  help: `the venue system: ${PROVIDERS_WITH_SHARED_HOOKS.join(', ')}`,
};
const MODE: Option = { name: 'mode', valueName: 'MODE', isRequired: true, help: 'test or live' };

const create: Command = {
  words: ['hook', 'create'],
  arguments: [],
  help: 'make one hook address for all venues of a partner application; the address is shown once',
  options: [PROVIDER, MODE],
  async run(input, open) {
    const provider = choiceOption(input, 'provider', PROVIDERS_WITH_SHARED_HOOKS);
    const mode = choiceOption(input, 'mode', MODES);
    const { context, command } = await open();
    const { id, url } = await context.db.transaction((tx) => createSharedHook(tx, command, provider, mode));
    return {
      json: { id, provider, mode, webhook_url: url },
      text: `${id}\n${url}\nStore the address now: its token is not shown again.`,
    };
  },
};

const listed = ({ id, provider, mode, created_at, revoked_at, unrouted_count, unrouted_at }: SharedHookRow) => ({
  id,
  provider,
  mode,
  status: revoked_at === null ? 'active' : 'revoked',
  created_at,
  unrouted_count,
  unrouted_at,
});

const list: Command = {
  words: ['hook', 'list'],
  arguments: [],
  help: 'list the shared hook addresses, newest first, and how many deliveries had no venue',
  options: [],
  async run(_input, open) {
    const { context } = await open();
    const rows = (await listSharedHooks(context.db, MAX_LISTED)).map(listed);
    return {
      json: rows,
      text: table(
        ['ID', 'PROVIDER', 'MODE', 'STATUS', 'CREATED', 'WITHOUT VENUE', 'LAST'],
        rows.map((row) => [
          row.id,
          row.provider,
          row.mode,
          row.status,
          formatTimestamp(row.created_at),
          String(row.unrouted_count),
          row.unrouted_at === null ? '' : formatTimestamp(row.unrouted_at),
        ]),
      ),
    };
  },
};

const route: Command = {
  words: ['hook', 'route'],
  arguments: [],
  help: 'send the deliveries of an account of the venue system to an integration of its venue',
  options: [
    PROVIDER,
    MODE,
    { name: 'venue', valueName: 'ID', isRequired: true, help: 'the venue' },
    { name: 'integration', valueName: 'ID', isRequired: true, help: 'its integration with the venue system' },
    { name: 'account', valueName: 'ID', isRequired: true, help: 'the EnterpriseId of the venue in Mews' },
  ],
  async run(input, open) {
    const provider = choiceOption(input, 'provider', PROVIDERS_WITH_SHARED_HOOKS);
    const mode = choiceOption(input, 'mode', MODES);
    const venueId = parseId(input.required('venue'), '--venue', 'venue list');
    const integrationId = input.required('integration');
    const account = input.required('account');
    if (account.length > MAX_ACCOUNT_LENGTH || /\s/.test(account))
      throw commandError(`--account has 1 to ${MAX_ACCOUNT_LENGTH} characters without white space.`);
    const { context, command } = await open();
    const venue = await requireVenue(context.db, venueId);
    const request = { venueId: venue.id, mode, integrationId, provider, account };
    const result = await context.db.transaction((tx) => routeAccount(tx, command, request));
    if (result === 'unknown_integration')
      throw commandError(
        `the venue has no active ${provider} integration "${integrationId}" in ${mode} mode: GET /v1/integrations lists them.`,
      );
    if (result === 'taken')
      throw commandError(`"${account}" is routed to another integration: revoke that integration first.`);
    return {
      json: { provider, mode, account, venue_id: venue.id, integration_id: integrationId },
      text: `Deliveries of ${account} go to ${integrationId}.`,
    };
  },
};

const revoke: Command = {
  words: ['hook', 'revoke'],
  arguments: ['ID'],
  help: 'end a shared hook address: it answers 401 from the next request on',
  options: [],
  async run(input, open) {
    const id = input.argument(0);
    const { context, command } = await open();
    const revoked = await context.db.transaction((tx) => revokeSharedHook(tx, command, id));
    if (revoked === null)
      throw commandError(`there is no active shared address "${id}": "everyshare hook list" lists them.`);
    return { json: listed(revoked), text: `${id} is revoked.` };
  },
};

export const hookCommands: readonly Command[] = [create, list, route, revoke];
