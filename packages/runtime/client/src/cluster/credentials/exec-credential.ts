import { CredentialError } from './credential-error.ts';
import { parsePluginOutput } from './plugin-process.ts';
import { isRecord } from '../../values/record.ts';
import { isPair } from '../tls-options.ts';
import { isToken, type PresentedCredentials } from './token-source.ts';

/** The validated output of an exec plugin. */
export interface ExecCredential extends PresentedCredentials {
  /** The time of expiry in milliseconds since the epoch; `Infinity` without `expirationTimestamp`. */
  readonly expiresAt: number;
}

type Members = Readonly<Record<string, unknown>>;

/**
 * Reads the output of an exec plugin with the checks of client-go. `apiVersion` and `kind` may be missing,
 * because plugins for client-node omit them.
 */
export function readExecCredential(output: string, apiVersion: string | undefined): ExecCredential {
  const credential = parsePluginOutput(output);
  if (!isRecord(credential) || (credential['kind'] ?? 'ExecCredential') !== 'ExecCredential') {
    throw new CredentialError('the output is not an ExecCredential');
  }
  if (apiVersion !== undefined && (credential['apiVersion'] ?? apiVersion) !== apiVersion) {
    throw new CredentialError('the output is of another apiVersion than the kubeconfig names');
  }
  const { status } = credential;
  if (!isRecord(status)) throw new CredentialError('the output has no status');
  const token = tokenOf(status);
  const pair = pairOf(status);
  if (token === undefined && pair === undefined) {
    throw new CredentialError('the output has neither a token nor a certificate');
  }
  return { token, ...pair, expiresAt: expiryOf(status) };
}

function tokenOf({ token }: Members): string | undefined {
  if (token === undefined || token === null || token === '') return undefined;
  if (!isToken(token)) throw new CredentialError('status.token is not a string of one line');
  return token;
}

function pairOf(status: Members): { cert: string; key: string } | undefined {
  const cert = status['clientCertificateData'] || undefined;
  const key = status['clientKeyData'] || undefined;
  if (cert === undefined && key === undefined) return undefined;
  if (cert === undefined || key === undefined) {
    throw new CredentialError(
      'the output has a certificate without its key, or a key without its certificate',
    );
  }
  if (typeof cert === 'string' && typeof key === 'string' && isPair(cert, key))
    return { cert, key };
  throw new CredentialError(
    'the certificate or its key is invalid, or they do not belong together',
  );
}

function expiryOf({ expirationTimestamp }: Members): number {
  if (expirationTimestamp === undefined || expirationTimestamp === null) return Infinity;
  const at = typeof expirationTimestamp === 'string' ? Date.parse(expirationTimestamp) : Number.NaN;
  if (Number.isNaN(at)) throw new CredentialError('status.expirationTimestamp is not a time');
  return at;
}
