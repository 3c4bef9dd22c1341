// The bookings of the site, in a file. A real site has a database: what matters is that a change is stored before it is answered.

import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

export class Bookings {
  #file;
  #byId;

  constructor(file) {
    this.#file = file;
    this.#byId = new Map(existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : []);
  }

  find(id) {
    return this.#byId.get(id);
  }

  /** The id is in the booking's address, so it cannot be guessed. */
  add(booking) {
    const added = { id: `bk-${randomBytes(9).toString('hex')}`, status: 'waiting', ...booking };
    this.#store(added);
    return added;
  }

  change(id, changes) {
    this.#store({ ...this.#byId.get(id), ...changes });
  }

  #store(booking) {
    this.#byId.set(booking.id, booking);
    const draft = `${this.#file}.${process.pid}`;
    // Names of guests: for this user alone.
    writeFileSync(draft, JSON.stringify([...this.#byId]), { mode: 0o600 });
    renameSync(draft, this.#file);
  }
}
