import type { Dispatcher } from 'undici';
import { CredentialError } from './credential-error.ts';
import { parseJson } from '../../values/parse-json.ts';
import { isLoopback } from '@keelson/apimachinery';
import { hostOf } from '../proxy-environment.ts';
import { tlsOptions } from '../tls-options.ts';
import { isRecord } from '../../values/record.ts';
import { loadUndici, type Undici } from '../../undici/load-undici.ts';

/** A request for JSON to an identity provider: a POST if it has a form, else a GET. */
export interface IssuerRequest {
  readonly url: URL;
  /** The certificate authority to trust, as PEM. Default: those of the system. */
  readonly ca: string | undefined;
  readonly proxy: string | undefined;
  readonly signal: AbortSignal;
  readonly form?: URLSearchParams;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Upper bound of a response. The documents of identity providers have a few kilobytes. */
const RESPONSE_LIMIT_BYTES = 1024 * 1024;

/**
 * Parses a URL to which secrets may be sent: https, or http on the loopback interface. Errors use `what` as
 * its name.
 */
export function secureUrl(text: string, what: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) throw new CredentialError(`${what} is not a URL`);
  const isSafe = url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(hostOf(url)));
  if (!isSafe) throw new CredentialError(`${what} is not an https URL`);
  return url;
}

/**
 * Sends the request and returns the JSON object of the response. Redirects are not followed, because they
 * could lead to other hosts.
 */
export async function requestIssuer(
  issuerRequest: IssuerRequest,
): Promise<Record<string, unknown>> {
  const { url, signal, form, headers } = issuerRequest;
  const dispatcher = open(await loadUndici(), issuerRequest);
  const type = { 'content-type': 'application/x-www-form-urlencoded' };
  const post = { method: 'POST', headers: { ...type, ...headers }, body: String(form) } as const;
  const { origin, pathname, search } = url;
  const target = { origin, path: pathname + search, method: 'GET', signal } as const;
  try {
    const { statusCode, body } = await dispatcher.request({ ...target, ...(form && post) });
    const text = await readText(body);
    if (statusCode === 200) return membersOf(text);
    throw new CredentialError(`the identity provider responded with HTTP status ${statusCode}`);
  } finally {
    await dispatcher.destroy();
  }
}

function open(
  { Agent, ProxyAgent, Socks5ProxyAgent }: Undici,
  { ca, proxy }: IssuerRequest,
): Dispatcher {
  const tls = tlsOptions(ca === undefined ? {} : { ca });
  if (proxy === undefined) return new Agent({ connect: tls });
  if (proxy.startsWith('socks')) {
    return new Socks5ProxyAgent(proxy.replace(/^socks5?h?:/, 'socks5:'), { requestTls: tls });
  }
  return new ProxyAgent({ uri: proxy, requestTls: tls });
}

async function readText(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > RESPONSE_LIMIT_BYTES) {
      throw new CredentialError('the response of the identity provider is too long');
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function membersOf(text: string): Record<string, unknown> {
  const value = parseJson(text);
  if (isRecord(value)) return value;
  throw new CredentialError('the response of the identity provider is not a JSON object');
}
