import { readFile } from 'node:fs/promises';
import type { RequestOptions } from 'node:https';

/** The settings of a user's `auth-provider`, as kubectl keeps them. */
type OidcSettings = Record<string, unknown>;

interface OidcUser {
  readonly authProvider?: { readonly name?: string; readonly config?: OidcSettings } | null;
}

/** A provider that does not answer must not hold up requests for ever. */
const LONGEST_SILENCE = 30_000;

/**
 * The tokens of users of OpenID Connect (`auth-provider: oidc`), in the place of client-node's, which
 * cannot refresh them (2.0.1: `"server" must be an instance of URL`). A token that has expired, or is none,
 * is fetched anew with the refresh token (OpenID Connect Core 12).
 */
export class OidcTokens {
  isAuthProvider(user: OidcUser): boolean {
    return user.authProvider?.name === 'oidc';
  }

  async applyAuthentication(user: OidcUser, options: RequestOptions): Promise<void> {
    const settings = user.authProvider?.config ?? {};
    if (isExpired(textOf(settings, 'id-token'))) await refresh(settings);
    const authorization = `Bearer ${textOf(settings, 'id-token')}`;
    options.headers = { ...(options.headers as object), Authorization: authorization };
  }
}

/** By its own account; what is no JWT has expired. */
function isExpired(token: string): boolean {
  try {
    const [, claims = ''] = token.split('.');
    const { exp } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as { exp?: unknown };
    return typeof exp !== 'number' || exp * 1000 <= Date.now();
  } catch {
    return true;
  }
}

async function refresh(settings: OidcSettings): Promise<void> {
  const authority = await authorityOf(settings);
  const issuer = needed(settings, 'idp-issuer-url').replace(/\/$/, '');
  const discovered = await ask(`${issuer}/.well-known/openid-configuration`, authority);
  const form = new URLSearchParams({
    grant_type: 'refresh_token',
    refresh_token: needed(settings, 'refresh-token'),
    client_id: needed(settings, 'client-id'),
  });
  const proof = secretOf(settings);
  const granted = await ask(needed(discovered, 'token_endpoint'), authority, { form, proof });
  settings['id-token'] = needed(granted, 'id_token');
  // Providers that do not replace it leave it out.
  settings['refresh-token'] = granted['refresh_token'] ?? settings['refresh-token'];
}

/** RFC 6749, 2.3.1: the way that every provider has to know. */
function secretOf(settings: OidcSettings): Record<string, string> {
  const secret = textOf(settings, 'client-secret');
  if (secret === '') return {};
  const pair = [needed(settings, 'client-id'), secret].map(encodeURIComponent).join(':');
  return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
}

async function authorityOf(settings: OidcSettings): Promise<string | undefined> {
  const data = textOf(settings, 'idp-certificate-authority-data');
  if (data !== '') return Buffer.from(data, 'base64').toString();
  const file = textOf(settings, 'idp-certificate-authority');
  return file === '' ? undefined : readFile(file, 'utf8');
}

interface Grant {
  readonly form: URLSearchParams;
  readonly proof: Record<string, string>;
}

/** A GET, or a POST of a form; the answer is JSON. Nothing of it stands in an error. */
async function ask(url: string, ca: string | undefined, grant?: Grant): Promise<OidcSettings> {
  const { Agent, request } = await import('undici');
  const dispatcher = new Agent({ connect: ca === undefined ? {} : { ca } });
  const times = { headersTimeout: LONGEST_SILENCE, bodyTimeout: LONGEST_SILENCE };
  const post = {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...grant?.proof },
    body: String(grant?.form),
  } as const;
  try {
    const { statusCode, body } = await request(url, {
      dispatcher,
      ...times,
      ...(grant === undefined ? {} : post),
    });
    if (statusCode === 200) return (await body.json()) as OidcSettings;
    await body.dump();
    throw new Error(`the identity provider answered with HTTP status ${statusCode}`);
  } finally {
    await dispatcher.close();
  }
}

function needed(settings: OidcSettings, name: string): string {
  const value = textOf(settings, name);
  if (value === '') throw new Error(`the token has expired and ${name} is missing`);
  return value;
}

function textOf(settings: OidcSettings, name: string): string {
  const value = settings[name];
  return typeof value === 'string' ? value : '';
}
