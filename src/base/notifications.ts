// A connection that listens for the notifications of PostgreSQL, opened again when it breaks. db.ts opens it.

import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';

const RETRY_MS = 2_000;

/**
 * Calls `onNotified` for each notification of the channel, and each time the connection is open: notifications of the time
 * before are lost.
 */
export class NotificationListener {
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;

  constructor(
    settings: pg.ClientConfig,
    channel: string,
    onNotified: () => void,
    onLost: (error: Error) => void = () => undefined,
  ) {
    this.#running = this.#run(settings, channel, onNotified, onLost);
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #run(
    settings: pg.ClientConfig,
    channel: string,
    onNotified: () => void,
    onLost: (error: Error) => void,
  ): Promise<void> {
    const { signal } = this.#stop;
    let isLost = false;
    const onHeard = (): void => {
      isLost = false;
      onNotified();
    };
    while (!signal.aborted) {
      try {
        await listen(new pg.Client(settings), channel, onHeard, signal);
      } catch (error) {
        // Once for an outage.
        if (!isLost) onLost(error as Error);
        isLost = true;
      }
      // A stop ends the wait.
      await delay(RETRY_MS, undefined, { signal }).catch(() => undefined);
    }
  }
}

/** Resolves when the signal aborts or the connection ends. */
async function listen(client: pg.Client, channel: string, onNotified: () => void, signal: AbortSignal): Promise<void> {
  let stop: () => void = () => undefined;
  const ended = new Promise<void>((resolve, reject) => {
    stop = resolve;
    client.once('error', reject);
    client.once('end', resolve);
  });
  signal.addEventListener('abort', stop);
  ended.catch(() => undefined); // Awaited below; it may reject while the connection is still being opened.
  client.on('notification', onNotified);
  try {
    await client.connect();
    await client.query(`listen ${pg.escapeIdentifier(channel)}`);
    onNotified();
    await ended;
  } finally {
    signal.removeEventListener('abort', stop);
    client.on('error', () => undefined);
    await client.end();
  }
}
