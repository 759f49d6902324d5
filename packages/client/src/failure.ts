import { types } from 'node:util';
import { ClientError } from './errors.ts';

/** What was being asked for when it failed. */
export interface FailedRequest {
  readonly server: string;
  readonly method: string;
  /** Without the query. */
  readonly path: string;
}

/** Failures before a byte of the request left: the server has surely not acted on it. */
const CONNECT_FAILURES = new Map([
  ['ECONNREFUSED', 'connect'],
  ['ENOTFOUND', 'resolve'],
  ['EAI_AGAIN', 'resolve'],
  ['EHOSTUNREACH', 'connect'],
  ['ENETUNREACH', 'connect'],
  ['EHOSTDOWN', 'connect'],
  ['ETIMEDOUT', 'connect'],
  ['UND_ERR_CONNECT_TIMEOUT', 'connect'],
  ['UND_ERR_PRX_CONN', 'proxy'],
  ['UND_ERR_PRX_TLS', 'proxy'],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'tls'],
  ['ERR_SSL_PACKET_LENGTH_TOO_LONG', 'tls'],
  ['ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION', 'tls'],
  ['ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE', 'tls'],
]);

/** OpenSSL's verification results and Node's check of the name, with what to do about them. */
const CERTIFICATE_FAILURES = new Map([
  ['SELF_SIGNED_CERT_IN_CHAIN', 'give the authority that signed it (certificate-authority-data)'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'give the certificate itself (certificate-authority-data)'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'give the authority that signed it'],
  ['UNABLE_TO_GET_ISSUER_CERT', 'give the authority that signed it'],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'give the authority that signed it'],
  ['CERT_UNTRUSTED', 'give the authority that signed it'],
  ['CERT_SIGNATURE_FAILURE', 'the authority given did not sign it: was the cluster made anew?'],
  ['CERT_HAS_EXPIRED', 'renew the certificate of the server, or set the clock'],
  ['CERT_NOT_YET_VALID', 'set the clock'],
  ['CERT_REVOKED', 'renew the certificate of the server'],
  ['INVALID_CA', 'the authority given may not sign certificates'],
  ['HOSTNAME_MISMATCH', 'give the name it carries (tls-server-name)'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'give the name it carries (tls-server-name)'],
]);

/** Turns what the socket or undici threw into an error that says which server, and which step. */
export function failureOf(error: unknown, request: FailedRequest): unknown {
  if (error instanceof ClientError || !types.isNativeError(error)) return error;
  const code = codeOf(error);
  const { server } = request;
  const hint = CERTIFICATE_FAILURES.get(code);
  if (hint !== undefined) {
    return new ClientError(
      'CERTIFICATE_NOT_TRUSTED',
      { server, reason: code, hint },
      { cause: error },
    );
  }
  const step = CONNECT_FAILURES.get(code) ?? (isProxyRefusal(error) ? 'proxy' : undefined);
  if (step !== undefined) {
    return new ClientError('SERVER_UNREACHABLE', { server, step, reason: code }, { cause: error });
  }
  if (code === 'UND_ERR_DESTROYED' || code === 'UND_ERR_CLOSED') {
    return new ClientError('CLIENT_CLOSED', {}, { cause: error });
  }
  if (!isSocketFailure(code)) return error;
  return new ClientError('CONNECTION_LOST', { ...request, reason: code }, { cause: error });
}

/** True for a failure after which a request that may be sent twice is worth sending again. */
export function isTransient(error: unknown): boolean {
  return isUnprocessed(error) || (error instanceof ClientError && error.code === 'CONNECTION_LOST');
}

/** True for a failure after which the server has surely not acted on the request. */
export function isUnprocessed(error: unknown): boolean {
  return error instanceof ClientError && error.code === 'SERVER_UNREACHABLE';
}

function codeOf(error: Error): string {
  if ('code' in error && typeof error.code === 'string') return error.code;
  // A host with several addresses fails with one error per address.
  const errors: unknown = 'errors' in error ? error.errors : undefined;
  const first: unknown = Array.isArray(errors) ? errors[0] : undefined;
  if (types.isNativeError(first)) return codeOf(first);
  return error.name === 'HTTPParserError' ? 'HPE_INVALID' : '';
}

function isProxyRefusal(error: Error): boolean {
  return error.message.startsWith('Proxy response');
}

function isSocketFailure(code: string): boolean {
  return (
    ['ECONNRESET', 'EPIPE', 'ECONNABORTED', 'EPROTO'].includes(code) ||
    code.startsWith('UND_ERR_') ||
    code.startsWith('HPE_') ||
    code.startsWith('ERR_SSL_') ||
    code.startsWith('ERR_STREAM_') ||
    code.startsWith('Z_')
  );
}
