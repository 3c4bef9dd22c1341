// Equal reads that arrive in the same moment, or while one is under way, share one question instead of asking the same again
// and again. Nobody is ever given an answer to a question that was sent before they came, so what they read is never older
// than their call.

export class SharedReads<T> {
  readonly #underway = new Map<string, Promise<T>>();
  readonly #next = new Map<string, Promise<T>>();

  ask(name: string, read: () => Promise<T>): Promise<T> {
    const known = this.#next.get(name);
    if (known !== undefined) return known;
    const underway = this.#underway.get(name);
    // After this turn of the event loop: whoever else arrives in it shares the question.
    const turn = underway === undefined ? immediate() : underway.then(nothing, nothing);
    const next = turn.then(() => {
      this.#next.delete(name);
      return this.#begin(name, read);
    });
    this.#next.set(name, next);
    return next;
  }

  #begin(name: string, read: () => Promise<T>): Promise<T> {
    const reading = read();
    this.#underway.set(name, reading);
    const ended = (): void => {
      if (this.#underway.get(name) === reading) this.#underway.delete(name);
    };
    reading.then(ended, ended);
    return reading;
  }
}

function nothing(): void {}

function immediate(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
