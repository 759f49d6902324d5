import { CodedError, hasCode } from '@keelson/apimachinery';
import { nodeUtil } from '../values/node-util.ts';
import { ConnectError } from './connect-error.ts';
import { ClientError } from '../errors.ts';
import { causesOf, plainCause } from './plain-cause.ts';

/** The request that failed, as errors describe it. */
export interface FailedRequest {
  readonly server: string;
  readonly method: string;
  /** Path without the query. */
  readonly path: string;
}

/** Error codes of undici for a proxy that failed before it forwarded any byte. */
const PROXY_FAILURES = new Set(['UND_ERR_PRX_CONN', 'UND_ERR_PRX_TLS', 'UND_ERR_SOCKS5']);
/** Error codes of undici for an invalid argument: nothing was sent, and a retry would fail in the same way. */
const ARGUMENT_FAILURES = new Set([
  'UND_ERR_INVALID_ARG',
  'UND_ERR_NOT_SUPPORTED',
  'ERR_HTTP2_INVALID_CONNECTION_HEADERS',
]);

/** Error codes of OpenSSL's verification and of Node's host name check, each with its cure. */
const CERTIFICATE_FAILURES = new Map([
  ['SELF_SIGNED_CERT_IN_CHAIN', 'give the authority that signed it (certificate-authority-data)'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'give the certificate itself (certificate-authority-data)'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'give the authority that signed it'],
  ['UNABLE_TO_GET_ISSUER_CERT', 'give the authority that signed it'],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'give the authority that signed it'],
  ['CERT_UNTRUSTED', 'give the authority that signed it'],
  ['CERT_SIGNATURE_FAILURE', 'the authority given did not sign it: was the cluster recreated?'],
  ['CERT_HAS_EXPIRED', 'renew the certificate of the server, or set the clock'],
  ['CERT_NOT_YET_VALID', 'set the clock'],
  ['CERT_REVOKED', 'renew the certificate of the server'],
  ['INVALID_CA', 'the authority given may not sign certificates'],
  ['HOSTNAME_MISMATCH', 'give the name it carries (tls-server-name)'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'give the name it carries (tls-server-name)'],
]);

/** Maps an error of the socket or of undici to a `ClientError` that names the server and the failed step. */
export function failureOf(thrown: unknown, request: FailedRequest): unknown {
  const isConnecting = thrown instanceof ConnectError;
  const error = isConnecting ? thrown.cause : thrown;
  if (error instanceof CodedError || !nodeUtil.types.isNativeError(error)) return error;
  const code = codeOf(error);
  const { server } = request;
  const hint = CERTIFICATE_FAILURES.get(code);
  if (hint !== undefined) {
    return new ClientError(
      'CERTIFICATE_NOT_TRUSTED',
      { server, reason: code, hint },
      { cause: plainCause(error) },
    );
  }
  const handshake = server.startsWith('https:') ? 'tls' : 'connect';
  const step = connectStep(error, code) ?? (isConnecting ? handshake : undefined);
  if (step !== undefined) {
    return new ClientError(
      'SERVER_UNREACHABLE',
      { server, step, reason: code },
      { cause: plainCause(error) },
    );
  }
  if (code === 'UND_ERR_DESTROYED' || code === 'UND_ERR_CLOSED') {
    return new ClientError('CLIENT_CLOSED', {}, { cause: plainCause(error) });
  }
  if (!isSocketFailure(error, code)) return error;
  return new ClientError(
    'CONNECTION_LOST',
    { ...request, reason: code },
    { cause: plainCause(error) },
  );
}

/** True if the connection broke after the request was sent, perhaps in the middle of the response. */
export function isCutOff(error: unknown): boolean {
  return hasCode(error, 'CONNECTION_LOST') || hasCode(error, 'TRUNCATED_RESPONSE');
}

/** True if no byte of the request reached the server. */
export function isUnsent(error: unknown): boolean {
  return hasCode(error, 'SERVER_UNREACHABLE');
}

/**
 * Returns the step of connecting that failed, or `undefined` for a failure on an open connection. The code
 * alone is ambiguous: a socket can also fail with ETIMEDOUT or EHOSTUNREACH long after it sent a request.
 */
function connectStep(error: Error, code: string): string | undefined {
  const syscall = syscallOf(error);
  if (syscall === 'getaddrinfo') return 'resolve';
  if (PROXY_FAILURES.has(code) || isProxyRefusal(error)) return 'proxy';
  if (syscall === 'connect' || code === 'UND_ERR_CONNECT_TIMEOUT') return 'connect';
  return undefined;
}

function codeOf(error: Error): string {
  // undici asserts that a response has a final status, which 101 is not.
  if (error.name === 'HTTPParserError' || error.name === 'AssertionError') return 'HPE_INVALID';
  if ('code' in error && typeof error.code === 'string') return error.code;
  const [first] = causesOf(error) ?? [];
  if (nodeUtil.types.isNativeError(first)) return codeOf(first);
  return '';
}

function isProxyRefusal(error: Error): boolean {
  return error.message.startsWith('Proxy response');
}

function syscallOf(error: Error): string | undefined {
  if ('syscall' in error && typeof error.syscall === 'string') return error.syscall;
  const [first] = causesOf(error) ?? [];
  return nodeUtil.types.isNativeError(first) ? syscallOf(first) : undefined;
}

function isSocketFailure(error: Error, code: string): boolean {
  if (ARGUMENT_FAILURES.has(code)) return false;
  return (
    syscallOf(error) !== undefined ||
    ['ECONNRESET', 'EPIPE', 'ECONNABORTED', 'EPROTO', 'ETIMEDOUT'].includes(code) ||
    code.startsWith('UND_ERR_') ||
    code.startsWith('HPE_') ||
    code.startsWith('ERR_HTTP2_') ||
    code.startsWith('ERR_SSL_') ||
    code.startsWith('ERR_STREAM_') ||
    code.startsWith('Z_')
  );
}
