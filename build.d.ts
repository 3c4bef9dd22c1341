// What build.js gives to the tests that run the built program.

export function build(): Promise<void>;
/** Builds the console into dist/console. */
export function buildConsole(): Promise<void>;
/** The text of the embed, made from web/embed and locales. */
export function bundleEmbed(): Promise<string>;
/** Where the build writes it. */
export const EMBED_FILE: string;
export function isCurrent(): boolean;
/** Throws if bin/load.js would read the program's code wrongly. */
export function requireAscii(file: string): Promise<void>;
