// A connection to PostgreSQL that refuses a standby, as `target_session_attrs=read-write` does: after a failover an
// address may lead to the former primary for a while, where nothing can be written and what is read is old.

import type { Duplex } from 'node:stream';
import pg from 'pg';

export interface DatabaseClientSettings extends pg.ClientConfig {
  readonly pipeline: boolean;
  /** The connection is for reading from a standby. */
  readonly acceptsStandby: boolean;
}

/** The driver's own connection, which its types do not show. */
interface DriverConnection {
  readonly stream: Duplex;
  on(event: 'parameterStatus', listener: (status: ParameterStatus) => void): void;
  removeAllListeners(event: 'readyForQuery'): void;
}

interface ParameterStatus {
  readonly parameterName: string;
  readonly parameterValue: string;
}

/** What PostgreSQL answers to a write there. */
const READ_ONLY_STATE = '25006';

export class DatabaseClient extends pg.Client {
  readonly #connection: DriverConnection;

  constructor(settings: DatabaseClientSettings) {
    super(settings);
    this.#connection = (this as unknown as { readonly connection: DriverConnection }).connection;
    if (settings.acceptsStandby) return;
    // PostgreSQL reports it when a session begins, so this costs no round trip. A pooler does not: then the write fails.
    this.#connection.on('parameterStatus', ({ parameterName, parameterValue }) => {
      if (parameterName !== 'in_hot_standby' || parameterValue !== 'on') return;
      // The end of the greeting may have arrived with it, and would make the connection count as open.
      this.#connection.removeAllListeners('readyForQuery');
      const error = new Error('the database server is a standby, and cannot be written to');
      this.#connection.stream.destroy(Object.assign(error, { code: READ_ONLY_STATE }));
    });
  }

  /** Drops the connection and does not tell the server, which may be gone and never answer. */
  destroy(): void {
    this.#connection.stream.destroy();
  }
}
