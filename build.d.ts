// What build.js gives to the tests that run the built program.

export function build(): Promise<void>;
export function isCurrent(): boolean;
/** Throws if bin/load.js would read the program's code wrongly. */
export function requireAscii(file: string): Promise<void>;
