import type { CredentialRequest } from '../cluster.ts';
import { CredentialError } from './credential-error.ts';
import type { ProviderConfig } from './oidc-tokens.ts';
import { parsePluginOutput, runPlugin, type PluginSettings } from './plugin-process.ts';
import { isToken, type PresentedCredentials, type TokenSource } from './token-source.ts';

/**
 * The tokens that a command prints for `auth-provider: gcp` and `azure`. Replaces the implementation of
 * client-node, which runs the command in a shell and blocks the event loop until the command exits.
 */
export class CommandTokens implements TokenSource {
  readonly #config: ProviderConfig;
  readonly #settings: PluginSettings;
  #token: string | undefined;
  #expiresAt: number;

  constructor(config: ProviderConfig, settings: PluginSettings) {
    this.#config = config;
    this.#settings = settings;
    this.#token = textOf(config, 'access-token');
    this.#expiresAt = expiryOf(config);
  }

  async present({ force, signal }: CredentialRequest): Promise<PresentedCredentials> {
    const command = textOf(this.#config, 'cmd-path');
    const isValid = this.#token !== undefined && Date.now() < this.#expiresAt;
    if (isValid && (!force || command === undefined)) return { token: this.#token };
    if (command === undefined) {
      throw new CredentialError('the token has expired and cmd-path is missing');
    }
    await this.#run(command, signal);
    return { token: this.#token };
  }

  async #run(command: string, signal: AbortSignal | undefined): Promise<void> {
    const args = (textOf(this.#config, 'cmd-args') ?? '').split(/\s+/).filter(Boolean);
    const output = parsePluginOutput(await runPlugin({ ...this.#settings, command, args, signal }));
    const token = memberAt(output, textOf(this.#config, 'token-key') ?? '{.access_token}');
    if (!isToken(token)) throw new CredentialError('the output has no token at token-key');
    const expiry = memberAt(output, textOf(this.#config, 'expiry-key') ?? '{.token_expiry}');
    const expiresAt = typeof expiry === 'string' ? Date.parse(expiry) : Number.NaN;
    this.#token = token;
    // Without a valid expiry the token is used until the server refuses it.
    this.#expiresAt = Number.isNaN(expiresAt) ? Infinity : expiresAt;
  }
}

function expiryOf(config: ProviderConfig): number {
  const expiry = Date.parse(textOf(config, 'expiry') ?? '');
  const seconds = Number(textOf(config, 'expires-on') ?? Number.NaN);
  if (!Number.isNaN(expiry)) return expiry;
  return Number.isNaN(seconds) ? Infinity : seconds * 1000;
}

/** Returns the member at a path of the form `{.credential.access_token}`. */
function memberAt(value: unknown, path: string): unknown {
  const names = /^\{((?:\.[\w-]+)+)\}$/.exec(path)?.[1]?.split('.').slice(1);
  if (names === undefined) {
    throw new CredentialError('token-key and expiry-key must be paths such as {.access_token}');
  }
  return names.reduce<unknown>(
    (at, name) => (typeof at === 'object' && at !== null ? Reflect.get(at, name) : undefined),
    value,
  );
}

function textOf(config: ProviderConfig, name: string): string | undefined {
  const value = config[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}
