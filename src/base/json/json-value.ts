// A JSON value as JSON.parse gives it.

export type JsonValue = null | boolean | number | string | JsonValue[] | { [name: string]: JsonValue };
