// Checks a CSV response against RFC 4180, without any code of the service.

/**
 * The cells of each line; null if the text is not CSV. A line ends with CRLF; quoted cells may hold anything, with
 * doubled quotes.
 */
function readRows(text: string): string[][] | null {
  const rows: string[][] = [];
  const row: string[] = [];
  for (let at = 0; at < text.length; ) {
    const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/y;
    cell.lastIndex = at;
    const found = cell.exec(text);
    if (found === null) return null;
    const [whole, quoted, plain = '', end] = found;
    row.push(quoted?.replaceAll('""', '"') ?? plain);
    if (end === '\r\n') rows.push(row.splice(0));
    at += whole.length;
  }
  return row.length === 0 ? rows : null;
}

const FORMULA = /^[=+@\t\r]|^-(?![\d.]+$)/;

export function findCsvFaults(text: string): string[] {
  const rows = readRows(text);
  if (rows === null) return ['the body is not CSV, although its type is'];
  const [names, ...lines] = rows;
  if (names === undefined) return ['the CSV has no header line'];
  if (names.some((name) => !/^[a-z][a-z_0-9]*$/.test(name)) || new Set(names).size < names.length)
    return [`the CSV’s header has invalid names: ${names.join(',').slice(0, 200)}`];
  const faults: string[] = [];
  const uneven = lines.findIndex((line) => line.length !== names.length);
  if (uneven >= 0) faults.push(`line ${uneven + 2} of the CSV has ${lines[uneven]?.length} cells, not ${names.length}`);
  if (lines.flat().some((cell) => FORMULA.test(cell))) faults.push('a cell of the CSV is a spreadsheet formula');
  return faults;
}
