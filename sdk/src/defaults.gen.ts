// Generated from the operations and schemas/v1 by `npm run generate`. Do not edit.

export const VERSION = '1.0.0';
export const DEFAULT_BASE_URL = 'https://api.everyshare.example';
