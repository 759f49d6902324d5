import { isIP } from 'node:net';
import type { PeerCertificate } from 'node:tls';

const unverified = 'tls: failed to verify certificate: x509: ';
const unknownAuthority = `${unverified}certificate signed by unknown authority`;

/** Go's messages for errors of connections and certificates, by the code of Node.js. */
const problems: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: unknownAuthority,
  SELF_SIGNED_CERT_IN_CHAIN: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownAuthority,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknownAuthority,
  CERT_HAS_EXPIRED: `${unverified}certificate has expired or is not yet valid`,
  CERT_NOT_YET_VALID: `${unverified}certificate has expired or is not yet valid`,
  ECONNRESET: 'EOF',
  ERR_SSL_WRONG_VERSION_NUMBER: 'http: server gave HTTP response to HTTPS client',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'http: server gave HTTP response to HTTPS client',
};

/** Words an error of a connection as Go does. `name` is the host in the URL, which the certificate must have. */
export function connectionProblem(
  error: Error,
  { host, port }: { readonly host: string; readonly port: number },
  name: string,
): string {
  const { code = '', cert } = error as Error & { code?: string; cert?: PeerCertificate };
  const address = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
  switch (code) {
    case 'ECONNREFUSED':
      return `dial tcp ${address}: connect: connection refused`;
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `dial tcp: lookup ${host}: no such host`;
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return unverified + nameProblem(cert, name);
    default:
      return problems[code] ?? error.message;
  }
}

function nameProblem(certificate: PeerCertificate | undefined, name: string): string {
  const names = (certificate?.subjectaltname ?? '').split(', ').filter(Boolean);
  const kind = isIP(name) === 0 ? 'DNS' : 'IP Address';
  const valid = names
    .filter((each) => each.startsWith(`${kind}:`))
    .map((each) => each.slice(kind.length + 1));
  if (valid.length > 0) return `certificate is valid for ${valid.join(', ')}, not ${name}`;
  return isIP(name) === 0
    ? `certificate is not valid for any names, but wanted to match ${name}`
    : `cannot validate certificate for ${name} because it doesn't contain any IP SANs`;
}
