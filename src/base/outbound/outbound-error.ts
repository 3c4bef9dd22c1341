// The one error of the guarded client. `kind` is for our code; `publicMessage` (and `message`) is for the partner that
// gave the address, so it never holds an IP address, a port or a resolver's message. Those are in `cause`, for our log.

export type OutboundErrorKind =
  | 'refused'
  | 'dns'
  | 'connect'
  | 'tls'
  | 'timeout'
  | 'too_large'
  | 'protocol'
  | 'interrupted'
  | 'closed';

/**
 * A private address and an unresolvable name give the same sentence in a delivery's log. (At creation a name that does not
 * resolve yet is accepted. An operator whose resolver knows private names should configure a public one.)
 */
export const NO_PUBLIC_ADDRESS = 'The host name does not lead to a public address.';

const MESSAGES: Readonly<Record<OutboundErrorKind, string>> = {
  refused: 'This address is not allowed.',
  dns: NO_PUBLIC_ADDRESS,
  connect: 'The host did not accept a connection.',
  tls: 'No secure connection could be made: the certificate must be valid for the host name.',
  timeout: 'The host took too long to answer.',
  too_large: 'The answer is too large.',
  protocol: 'The host did not answer with valid HTTP.',
  interrupted: 'The connection was cut before the answer was complete.',
  closed: 'The request was not sent: the service is stopping.',
};

export class OutboundError extends Error {
  readonly kind: OutboundErrorKind;
  readonly publicMessage: string;

  constructor(kind: OutboundErrorKind, detail: { publicMessage?: string; cause?: unknown } = {}) {
    const publicMessage = detail.publicMessage ?? MESSAGES[kind];
    super(publicMessage, { cause: detail.cause });
    this.name = 'OutboundError';
    this.kind = kind;
    this.publicMessage = publicMessage;
  }
}

const TLS_CODES =
  /^(ERR_TLS_|ERR_SSL_|CERT_|CRL_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_MISMATCH|INVALID_|EPROTO)/;

/** What undici or Node threw, as one of our kinds. `sending`: the request had a connection to go out on. */
export function outboundErrorFrom(cause: unknown, sending: boolean): OutboundError {
  if (cause instanceof OutboundError) return cause;
  if (cause instanceof Error && cause.name === 'HTTPParserError') return new OutboundError('protocol', { cause });
  return new OutboundError(kindOf(codeOf(cause), sending), { cause });
}

function codeOf(cause: unknown): string {
  if (typeof cause !== 'object' || cause === null || !('code' in cause)) return '';
  return typeof cause.code === 'string' ? cause.code : '';
}

function kindOf(code: string, sending: boolean): OutboundErrorKind {
  if (code === 'UND_ERR_CONNECT_TIMEOUT') return 'timeout';
  if (code === 'UND_ERR_HEADERS_OVERFLOW') return 'too_large';
  if (code === 'UND_ERR_DESTROYED' || code === 'UND_ERR_CLOSED') return 'closed';
  if (TLS_CODES.test(code)) return 'tls';
  if (code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH') return 'protocol';
  return sending ? 'interrupted' : 'connect';
}
