export async function runCommand(): Promise<number> { return 0; }
