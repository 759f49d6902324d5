import type { CredentialRequest } from '../cluster.ts';
import { CredentialError } from './credential-error.ts';
import { requestIssuer, secureUrl } from './issuer-request.ts';
import type { PluginSettings } from './plugin-process.ts';
import { proxyFor } from '../proxy-environment.ts';
import { isToken, type PresentedCredentials, type TokenSource } from './token-source.ts';

/** The settings of a user's `auth-provider`, as kubectl writes them. */
export type ProviderConfig = Readonly<Record<string, unknown>>;

/**
 * The tokens of an OpenID Connect user (`auth-provider: oidc`). An expired token is renewed with the refresh
 * token (OpenID Connect Core 12). The client secret and the refresh token are sent only to the issuer's host,
 * and only over https. Replaces the implementation of client-node 2.0.1, which cannot refresh tokens
 * (`"server" must be an instance of URL`).
 */
export class OidcTokens implements TokenSource {
  readonly #config: ProviderConfig;
  readonly #settings: PluginSettings;
  #idToken: string;
  #refreshToken: string;

  constructor(config: ProviderConfig, settings: PluginSettings) {
    this.#config = config;
    this.#settings = settings;
    this.#idToken = textOf(config, 'id-token');
    this.#refreshToken = textOf(config, 'refresh-token');
  }

  async present({ force, signal }: CredentialRequest): Promise<PresentedCredentials> {
    if (force || isExpired(this.#idToken)) await this.#refresh(signal);
    return { token: this.#idToken };
  }

  async #refresh(signal: AbortSignal | undefined): Promise<void> {
    const { timeout } = this.#settings;
    const timeLimit = AbortSignal.timeout(timeout);
    try {
      const either = signal === undefined ? timeLimit : AbortSignal.any([signal, timeLimit]);
      await this.#exchange(either);
    } catch (error) {
      if (!timeLimit.aborted || signal?.aborted === true) throw error;
      throw new CredentialError('the identity provider did not respond in time', { timeout });
    }
  }

  async #exchange(signal: AbortSignal): Promise<void> {
    const form = new URLSearchParams({
      grant_type: 'refresh_token',
      refresh_token: required(this.#refreshToken, 'refresh-token'),
      client_id: required(textOf(this.#config, 'client-id'), 'client-id'),
    });
    const ca = await certificateAuthorityOf(this.#config);
    const url = await this.#tokenEndpoint(ca, signal);
    const headers = secretOf(this.#config);
    const granted = await requestIssuer({ ...this.#route(url), ca, signal, form, headers });
    const idToken = granted['id_token'];
    if (!isToken(idToken)) throw new CredentialError('the identity provider gave no id_token');
    this.#idToken = idToken;
    // A provider omits the refresh token from its response if the previous one stays valid.
    this.#refreshToken = textOf(granted, 'refresh_token') || this.#refreshToken;
  }

  /** Discovers the token endpoint (OpenID Connect Discovery 4). */
  async #tokenEndpoint(ca: string | undefined, signal: AbortSignal): Promise<URL> {
    const text = required(textOf(this.#config, 'idp-issuer-url'), 'idp-issuer-url');
    const issuer = secureUrl(text.replace(/\/$/, ''), 'idp-issuer-url');
    const url = new URL(`${issuer.href.replace(/\/$/, '')}/.well-known/openid-configuration`);
    const discovered = await requestIssuer({ ...this.#route(url), ca, signal });
    const endpoint = secureUrl(textOf(discovered, 'token_endpoint'), 'token_endpoint');
    if (endpoint.host === issuer.host && endpoint.protocol === issuer.protocol) return endpoint;
    throw new CredentialError('token_endpoint is not on the host of idp-issuer-url');
  }

  #route(url: URL): { url: URL; proxy: string | undefined } {
    return { url, proxy: proxyFor(url, this.#settings.environment) };
  }
}

/** True if the `exp` claim of the token is in the past, or if the text is not a JWT with that claim. */
function isExpired(token: string): boolean {
  try {
    const [, claims = ''] = token.split('.');
    const { exp } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as { exp?: unknown };
    return typeof exp !== 'number' || exp * 1000 <= Date.now();
  } catch {
    return true;
  }
}

/** Returns the client secret as Basic authentication, which every provider must support (RFC 6749, 2.3.1). */
function secretOf(config: ProviderConfig): Record<string, string> {
  const secret = textOf(config, 'client-secret');
  if (secret === '') return {};
  const pair = [textOf(config, 'client-id'), secret].map(encodeURIComponent).join(':');
  return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
}

async function certificateAuthorityOf(config: ProviderConfig): Promise<string | undefined> {
  const data = textOf(config, 'idp-certificate-authority-data');
  if (data !== '') return Buffer.from(data, 'base64').toString();
  const file = textOf(config, 'idp-certificate-authority');
  return file === ''
    ? undefined
    : process.getBuiltinModule('node:fs/promises').readFile(file, 'utf8');
}

function required(value: string, name: string): string {
  if (value !== '') return value;
  throw new CredentialError(`the token has expired and ${name} is missing`);
}

function textOf(config: ProviderConfig, name: string): string {
  const value = config[name];
  return typeof value === 'string' ? value : '';
}
