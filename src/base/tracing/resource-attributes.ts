// Reads OTEL_RESOURCE_ATTRIBUTES as OpenTelemetry defines it: key=value pairs separated by commas, values percent-encoded.

export const RESOURCE_ATTRIBUTES_PROBLEM =
  'OTEL_RESOURCE_ATTRIBUTES must be key=value pairs separated by commas: correct it or leave it unset.';

/** Null: a part is no pair, or its value is not percent-encoded text. */
export function parseResourceAttributes(text: string): Readonly<Record<string, string>> | null {
  const attributes: Record<string, string> = {};
  for (const part of text.split(',').filter((one) => one.trim() !== '')) {
    const at = part.indexOf('=');
    const key = part.slice(0, Math.max(0, at)).trim();
    if (key === '') return null;
    try {
      attributes[key] = decodeURIComponent(part.slice(at + 1).trim());
    } catch {
      return null;
    }
  }
  return attributes;
}
