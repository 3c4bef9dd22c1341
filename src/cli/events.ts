// `everyshare events`: the types of event, and which of them a webhook endpoint can subscribe to.

import { EVENT_LIST } from '../domain/events/event-types.ts';
import type { Command } from './command-definition.ts';
import { table } from './table.ts';

/** The mark of a type that is in the event log and its stream only. */
export const LOG_ONLY = 'log only';

const events: Command = {
  words: ['events'],
  arguments: [],
  help: 'list the types of event; no webhook endpoint can subscribe to those marked "log only"',
  options: [],
  async run() {
    const rows = EVENT_LIST.map(({ type, isSubscribable, meaning }) => [type, isSubscribable ? '' : LOG_ONLY, meaning]);
    return {
      json: {
        events: EVENT_LIST.map(({ type, isSubscribable, meaning }) => ({
          type,
          subscribable: isSubscribable,
          meaning,
        })),
      },
      text: table(['type', 'endpoints', 'when'], rows),
    };
  },
};

export const eventsCommands: readonly Command[] = [events];
