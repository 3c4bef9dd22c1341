// The messages between the bench and its child processes: one job at a time, one outcome for each. An error in the
// child comes back as text and is thrown in the bench.

import type { ChildHandle } from './processes.ts';

type Outcome = { readonly result: unknown } | { readonly error: string };

/** In the bench: sends a job to the child and waits for its outcome. */
export function runJob<T>({ process: child, errorOutput }: ChildHandle, job: unknown): Promise<T> {
  return new Promise((resolve, reject) => {
    const onExit = (): void => reject(new Error(`a process of the bench ended: ${errorOutput()}`));
    child.once('exit', onExit);
    child.once('message', (message) => {
      child.off('exit', onExit);
      const outcome = message as Outcome;
      if ('error' in outcome) reject(new Error(outcome.error));
      else resolve(outcome.result as T);
    });
    child.send(job as object);
  });
}

/** In the child: runs each job that arrives, until the bench disconnects. */
export function handleJobs<Job>(run: (job: Job) => Promise<unknown>): void {
  const send = (outcome: Outcome): void => void process.send?.(outcome);
  process.on('message', (job: Job) => {
    run(job).then(
      (result) => send({ result }),
      (error: unknown) => send({ error: error instanceof Error ? error.message : String(error) }),
    );
  });
  process.on('disconnect', () => process.exit(0));
}
