import { nodeUtil } from '../../values/node-util.ts';
import path from 'node:path';
import type { KubeConfig, User } from '@kubernetes/client-node';
import { ClientError } from '../../errors.ts';
import type { PluginCluster } from '../credentials/exec-tokens.ts';
import type { ClientNode } from './client-node.ts';
import type { KubeConfigText } from './kubeconfig-place.ts';
import { checkShape, KubeConfigError } from './kubeconfig-shape.ts';
import { isRecord } from '../../values/record.ts';
import { redacted } from '../../values/redacted.ts';

/** A user with the impersonation headers, of which client-node reads only the user name. */
export interface LoadedUser extends User {
  readonly impersonation?: Readonly<Record<string, string | readonly string[]>>;
}

/** A kubeconfig of client-node, and whether it is that of a test or of `keelson dev`. */
export interface LoadedKubeConfig extends KubeConfig {
  development?: boolean;
}

/** The extension of a kubeconfig that sets `development` of its clusters. */
const DEVELOPMENT_EXTENSION = 'keelson.dev/development';

/** The extension of a cluster that exec plugins receive as `config` (client-go's `ExecCluster`). */
const EXEC_EXTENSION = 'client.authentication.k8s.io/exec';

type Raw = Record<string, unknown>;

/** Parses a kubeconfig with client-node, after members that client-node would drop have been rewritten. */
export function parseKubeConfig(
  clientNode: ClientNode,
  { text, file }: KubeConfigText,
): LoadedKubeConfig {
  const kubeConfig: LoadedKubeConfig = new clientNode.KubeConfig();
  try {
    const raw = clientNode.loadYaml<unknown>(text);
    checkShape(raw);
    const users = usersOf(raw);
    const directory = file === undefined ? undefined : path.dirname(path.resolve(file));
    for (const user of users.values()) rewriteUser(user, directory);
    kubeConfig.loadFromString(JSON.stringify(raw));
    if (directory !== undefined) kubeConfig.makePathsAbsolute(directory);
    addExecConfigs(kubeConfig, raw);
    for (const user of kubeConfig.users) addImpersonation(user, users.get(user.name));
    if (isOfDevelopment(raw)) kubeConfig.development = true;
    return kubeConfig;
  } catch (error) {
    throw invalid(error, file);
  }
}

/** Merges several files as kubectl does: the first definition of a name wins. */
export function mergeKubeConfig(kubeConfigs: readonly LoadedKubeConfig[]): LoadedKubeConfig {
  const [merged, ...others] = kubeConfigs;
  if (merged === undefined) throw new ClientError('KUBECONFIG_NOT_FOUND', { looked: [] });
  for (const other of others) {
    for (const each of absent(merged.clusters, other.clusters)) merged.addCluster(each);
    for (const each of absent(merged.users, other.users)) merged.addUser(each);
    for (const each of absent(merged.contexts, other.contexts)) merged.addContext(each);
    merged.currentContext ||= other.currentContext;
    if (other.development === true) merged.development = true;
  }
  return merged;
}

function absent<N extends { readonly name: string }>(known: readonly N[], more: readonly N[]): N[] {
  return more.filter(({ name }) => !known.some((each) => each.name === name));
}

/** Adds the extensions that plugins receive, which client-node drops. */
function addExecConfigs(kubeConfig: LoadedKubeConfig, raw: Raw): void {
  const entries = Array.isArray(raw['clusters']) ? raw['clusters'].filter(isRecord) : [];
  for (const { name, cluster } of entries) {
    const named =
      isRecord(cluster) && Array.isArray(cluster['extensions']) ? cluster['extensions'] : [];
    const found = named.filter(isRecord).find((one) => one['name'] === EXEC_EXTENSION);
    const loaded = kubeConfig.clusters.find((one) => one.name === name);
    if (found !== undefined && loaded !== undefined) {
      const config: Pick<PluginCluster, 'execConfig'> = { execConfig: found['extension'] };
      Object.assign(loaded, config);
    }
  }
}

function isOfDevelopment({ extensions }: Raw): boolean {
  const named = Array.isArray(extensions) ? extensions.filter(isRecord) : [];
  return named.some(({ name }) => name === DEVELOPMENT_EXTENSION);
}

function usersOf(raw: Raw): Map<string, Raw> {
  const entries = Array.isArray(raw['users']) ? raw['users'].filter(isRecord) : [];
  return new Map(
    entries.flatMap(({ name, user }): [string, Raw][] =>
      isRecord(user) ? [[String(name), user]] : [],
    ),
  );
}

/**
 * Rewrites `tokenFile` (the name that kubectl writes) to the form that client-node reads at each call.
 * Relative paths are resolved against the folder of the kubeconfig.
 */
function rewriteUser(user: Raw, directory: string | undefined): void {
  const tokenFile = user['tokenFile'] ?? user['token-file'];
  if (typeof tokenFile === 'string') {
    user['auth-provider'] = {
      name: 'tokenFile',
      config: { tokenFile: absolute(directory, tokenFile) },
    };
    delete user['token-file'];
    // A token file takes precedence over a token (client-go's AuthInfo).
    delete user['token'];
  }
  const exec = user['exec'];
  if (isRecord(exec) && typeof exec['command'] === 'string' && /[\\/]/.test(exec['command'])) {
    exec['command'] = absolute(directory, exec['command']);
  }
}

function absolute(directory: string | undefined, file: string): string {
  return directory === undefined ? file : path.resolve(directory, file);
}

/**
 * Adds the impersonation headers. They include the user name, because client-node would encode it in Latin-1.
 */
function addImpersonation(user: LoadedUser, raw: Raw | undefined): void {
  const headers: Record<string, string | readonly string[]> = {};
  if (typeof raw?.['as'] === 'string') headers['impersonate-user'] = utf8(raw['as']);
  if (typeof raw?.['as-uid'] === 'string') headers['impersonate-uid'] = utf8(raw['as-uid']);
  if (Array.isArray(raw?.['as-groups'])) headers['impersonate-group'] = raw['as-groups'].map(utf8);
  if (isRecord(raw?.['as-user-extra'])) {
    for (const [key, values] of Object.entries(raw['as-user-extra'])) {
      if (!Array.isArray(values)) continue;
      headers[`impersonate-extra-${headerKey(key)}`] = values.map(utf8);
    }
  }
  if (Object.keys(headers).length > 0) Object.assign(user, { impersonation: headers });
}

/**
 * Returns a string whose Latin-1 bytes are the UTF-8 bytes of the value. Headers accept only Latin-1;
 * client-go sends UTF-8.
 */
function utf8(value: unknown): string {
  return Buffer.from(String(value)).toString('latin1');
}

/** Percent-encodes a key. `encodeURIComponent` keeps parentheses, which are invalid in a header name. */
function headerKey(key: string): string {
  return encodeURIComponent(key).replaceAll('(', '%28').replaceAll(')', '%29');
}

/**
 * Returns an error that names the invalid member. It quotes no values, because the text and the errors of
 * parsers contain secrets.
 */
function invalid(error: unknown, file: string | undefined): ClientError {
  const place = file === undefined ? {} : { file };
  const reason = error instanceof KubeConfigError ? error.message : redacted(reasonOf(error));
  return new ClientError('KUBECONFIG_INVALID', { ...place, reason, ...lineOf(error) });
}

function reasonOf(error: unknown): string {
  if (isRecord(error) && typeof error['reason'] === 'string') return error['reason'];
  return nodeUtil.types.isNativeError(error) ? error.message : 'it cannot be read';
}

function lineOf(error: unknown): { readonly line?: number } {
  const mark = isRecord(error) ? error['mark'] : undefined;
  return isRecord(mark) && typeof mark['line'] === 'number' ? { line: mark['line'] + 1 } : {};
}
