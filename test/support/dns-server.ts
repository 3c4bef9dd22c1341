// A small name server on UDP: it answers questions for TXT records from a table, and says "no such name" for all else.

import { createSocket } from 'node:dgram';

/** The records of a name; `silent`: no answer comes; `servfail`: the answer is an error. */
export type DnsAnswer = readonly string[] | 'silent' | 'servfail';

export interface DnsServer {
  /** For the setting DNS_SERVERS. */
  readonly address: string;
  /** By name in small letters. A name with an empty list exists and has no record. */
  readonly names: Map<string, DnsAnswer>;
  /** The names that were asked for. */
  readonly asked: string[];
  close(): Promise<void>;
}

const TXT = 16;
const NO_ERROR = 0;
const SERVER_FAILURE = 2;
const NO_SUCH_NAME = 3;

export async function startDnsServer(): Promise<DnsServer> {
  const names = new Map<string, DnsAnswer>();
  const asked: string[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (message, { address, port }) => {
    const question = readQuestion(message);
    asked.push(question.name);
    const answer = names.get(question.name);
    if (answer === 'silent') return;
    const values = typeof answer === 'object' && question.type === TXT ? answer : [];
    const code = answer === 'servfail' ? SERVER_FAILURE : answer === undefined ? NO_SUCH_NAME : NO_ERROR;
    socket.send(response(message, question.end, code, values), port, address);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  return {
    address: `127.0.0.1:${socket.address().port}`,
    names,
    asked,
    close: () => new Promise((resolve) => socket.close(() => resolve())),
  };
}

interface Question {
  readonly name: string;
  readonly type: number;
  /** Where the question ends in the message. */
  readonly end: number;
}

function readQuestion(message: Buffer): Question {
  const labels: string[] = [];
  let at = 12;
  for (let length = message.readUInt8(at); length > 0; length = message.readUInt8(at)) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: message.readUInt16BE(at + 1), end: at + 5 };
}

function response(message: Buffer, end: number, code: number, values: readonly string[]): Buffer {
  const header = Buffer.from(message.subarray(0, 12));
  header.writeUInt16BE(0x8180 | code, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(values.length, 6);
  header.writeUInt16BE(0, 8);
  header.writeUInt16BE(0, 10);
  return Buffer.concat([header, message.subarray(12, end), ...values.map(textRecord)]);
}

/** The name points at that of the question. A value is cut into strings of at most 255 bytes. */
function textRecord(value: string): Buffer {
  const bytes = Buffer.from(value, 'utf8');
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length || at === 0; at += 255) {
    const part = bytes.subarray(at, at + 255);
    parts.push(Buffer.from([part.length]), part);
  }
  const data = Buffer.concat(parts);
  const head = Buffer.alloc(12);
  head.writeUInt16BE(0xc00c, 0);
  head.writeUInt16BE(TXT, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt32BE(60, 6);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}
