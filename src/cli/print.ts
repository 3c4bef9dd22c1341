// Writes the output of commands. A closed pipe (`| head -1`) is not a failure.

/** A pipe that was closed at this write, or at an earlier one. */
const CLOSED_PIPE = ['EPIPE', 'ERR_STREAM_DESTROYED'];

/** Resolves when the text is written, or when its reader has gone away. */
export function print(stream: NodeJS.WriteStream, text: string): Promise<void> {
  keepRunningOnError(stream);
  return new Promise((resolve, reject) => {
    stream.write(`${text}\n`, (error) => {
      if (error == null || CLOSED_PIPE.includes((error as NodeJS.ErrnoException).code ?? '')) resolve();
      else reject(error);
    });
  });
}

/** Call it before the first write: without a listener, the stream's error event ends the process with a stack. */
export function keepRunningOnError(stream: NodeJS.WriteStream): void {
  if (!stream.listeners('error').includes(ignoreStreamError)) stream.on('error', ignoreStreamError);
}

/** The callback of `write` gets the error. */
function ignoreStreamError(): void {}
