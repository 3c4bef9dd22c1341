// A connection that listens for the notifications of PostgreSQL, opened again when it breaks. It sends nothing by
// itself, so it would never notice that its server has gone without closing the connection: it asks every few seconds.
// db.ts opens it.

import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';

const RETRY_MS = 2_000;
const CHECK_EVERY_MS = 10_000;

/**
 * Calls `onNotified` for each notification of the channel, and each time the connection is open: notifications of the time
 * before are lost.
 */
export class NotificationListener {
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;

  constructor(
    newClient: () => pg.Client,
    channel: string,
    onNotified: () => void,
    onLost: (error: Error) => void = () => undefined,
    checkEveryMs = CHECK_EVERY_MS,
  ) {
    this.#running = this.#run(newClient, channel, onNotified, onLost, checkEveryMs);
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #run(
    newClient: () => pg.Client,
    channel: string,
    onNotified: () => void,
    onLost: (error: Error) => void,
    checkEveryMs: number,
  ): Promise<void> {
    const { signal } = this.#stop;
    let isLost = false;
    const onHeard = (): void => {
      isLost = false;
      onNotified();
    };
    while (!signal.aborted) {
      try {
        await listen(newClient(), channel, onHeard, signal, checkEveryMs);
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
async function listen(
  client: pg.Client,
  channel: string,
  onNotified: () => void,
  signal: AbortSignal,
  checkEveryMs: number,
): Promise<void> {
  let stop: () => void = () => undefined;
  let fail: (why: Error) => void = () => undefined;
  let checks: NodeJS.Timeout | undefined;
  const ended = new Promise<void>((resolve, reject) => {
    stop = resolve;
    fail = reject;
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
    checks = setInterval(() => void client.query('select 1').catch(fail), checkEveryMs);
    await ended;
  } finally {
    clearInterval(checks);
    signal.removeEventListener('abort', stop);
    client.on('error', () => undefined);
    await client.end();
  }
}
