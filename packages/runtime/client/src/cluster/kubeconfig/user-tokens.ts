import type { Cluster as ConfiguredCluster } from '@kubernetes/client-node';
import { CommandTokens } from '../credentials/command-tokens.ts';
import { ExecTokens, type ExecConfig } from '../credentials/exec-tokens.ts';
import type { LoadedUser } from './kubeconfig-text.ts';
import { OidcTokens, type ProviderConfig } from '../credentials/oidc-tokens.ts';
import type { PluginSettings } from '../credentials/plugin-process.ts';
import { TokenFile } from '../credentials/token-file.ts';
import type { TokenSource } from '../credentials/token-source.ts';

interface AuthProvider {
  readonly name?: string;
  readonly config?: ProviderConfig | null;
}

/**
 * Returns the source of a user's changing credentials, or `undefined` if all credentials are in the
 * kubeconfig.
 */
export function tokenSourceOf(
  user: LoadedUser,
  cluster: ConfiguredCluster,
  settings: PluginSettings,
): TokenSource | undefined {
  const exec = execOf(user);
  if (exec !== undefined) return new ExecTokens(exec, cluster, settings);
  const provider = providerOf(user);
  const config = provider?.config ?? {};
  const tokenFile = config['tokenFile'];
  if (typeof tokenFile === 'string') return new TokenFile(tokenFile);
  if (provider?.name === 'oidc') return new OidcTokens(config, settings);
  if (provider?.name === 'gcp' || provider?.name === 'azure') {
    return new CommandTokens(config, settings);
  }
  return undefined;
}

export function providerOf(user: LoadedUser): AuthProvider | undefined {
  return (user.authProvider as AuthProvider | null | undefined) ?? undefined;
}

export function execOf(user: LoadedUser): ExecConfig | undefined {
  const exec = user.exec ?? providerOf(user)?.config?.['exec'];
  return (exec as ExecConfig | null | undefined) ?? undefined;
}

/** Returns the kind of the credentials, as errors name it. */
export function kindOf(user: LoadedUser): string {
  return execOf(user) === undefined ? (providerOf(user)?.name ?? 'static') : 'exec';
}

/** Returns the secret values of a user, which no error may contain. */
export function secretsOf(user: LoadedUser): string[] {
  const exec = execOf(user);
  const given = [
    user.token,
    user.password,
    user.keyData,
    ...(exec?.env ?? []).map(({ value }) => value),
    ...(exec?.args ?? []).map((argument) => argument.replace(/^--?[\w-]+=?/, '')),
    ...Object.values(providerOf(user)?.config ?? {}),
  ];
  return given.filter((value) => typeof value === 'string');
}
