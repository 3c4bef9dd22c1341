// What build.js gives to the tests that run the built program.

export function build(): Promise<void>;
export function isCurrent(): boolean;
