import path from 'node:path';
import { types } from 'node:util';
import type { KubeConfig, User } from '@kubernetes/client-node';
import { ClientError } from '../../errors.ts';
import type { ClientNode } from './client-node.ts';
import type { KubeConfigText } from './kubeconfig-place.ts';
import { checkShape, KubeConfigFault } from './kubeconfig-shape.ts';
import { isRecord } from '../../values/record.ts';
import { redacted } from '../../values/redacted.ts';

/** A user with what client-node does not read: the headers that say whom to act as. */
export interface LoadedUser extends User {
  readonly impersonation?: Readonly<Record<string, string | readonly string[]>>;
}

type Raw = Record<string, unknown>;

/** Reads a kubeconfig by client-node, after mending what it would drop. */
export function parseKubeConfig(
  clientNode: ClientNode,
  { text, file }: KubeConfigText,
): KubeConfig {
  const kubeConfig = new clientNode.KubeConfig();
  try {
    const raw = clientNode.loadYaml<unknown>(text);
    checkShape(raw);
    const users = usersOf(raw);
    const directory = file === undefined ? undefined : path.dirname(path.resolve(file));
    for (const user of users.values()) mend(user, directory);
    kubeConfig.loadFromString(JSON.stringify(raw));
    if (directory !== undefined) kubeConfig.makePathsAbsolute(directory);
    for (const user of kubeConfig.users) addImpersonation(user, users.get(user.name));
    return kubeConfig;
  } catch (error) {
    throw invalid(error, file);
  }
}

/** Several files as one: the first to name something wins, as with kubectl. */
export function mergeKubeConfig(kubeConfigs: readonly KubeConfig[]): KubeConfig {
  const [merged, ...others] = kubeConfigs;
  if (merged === undefined) throw new ClientError('KUBECONFIG_NOT_FOUND', { looked: [] });
  for (const other of others) {
    for (const each of absent(merged.clusters, other.clusters)) merged.addCluster(each);
    for (const each of absent(merged.users, other.users)) merged.addUser(each);
    for (const each of absent(merged.contexts, other.contexts)) merged.addContext(each);
    merged.currentContext ||= other.currentContext;
  }
  return merged;
}

function absent<N extends { readonly name: string }>(known: readonly N[], more: readonly N[]): N[] {
  return more.filter(({ name }) => !known.some((each) => each.name === name));
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
 * `tokenFile` (the name that kubectl writes) becomes the form that client-node reads again and again;
 * paths are relative to the file that names them.
 */
function mend(user: Raw, directory: string | undefined): void {
  const tokenFile = user['tokenFile'] ?? user['token-file'];
  if (typeof tokenFile === 'string') {
    user['auth-provider'] = {
      name: 'tokenFile',
      config: { tokenFile: absolute(directory, tokenFile) },
    };
    delete user['token-file'];
    // The file wins over the text (client-go's AuthInfo).
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

/** With the name, which client-node does read: it would write it in Latin-1. */
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

/** A text whose bytes in a header, which takes only Latin-1, are its UTF-8, as client-go writes it. */
function utf8(value: unknown): string {
  return Buffer.from(String(value)).toString('latin1');
}

/** URLs leave parentheses as they are, and names of headers may have none. */
function headerKey(key: string): string {
  return encodeURIComponent(key).replaceAll('(', '%28').replaceAll(')', '%29');
}

/** Names the invalid member without quoting values: the text and the errors of parsers contain secrets. */
function invalid(error: unknown, file: string | undefined): ClientError {
  const place = file === undefined ? {} : { file };
  const reason = error instanceof KubeConfigFault ? error.message : redacted(reasonOf(error));
  return new ClientError('KUBECONFIG_INVALID', { ...place, reason, ...lineOf(error) });
}

function reasonOf(error: unknown): string {
  if (isRecord(error) && typeof error['reason'] === 'string') return error['reason'];
  return types.isNativeError(error) ? error.message : 'it cannot be read';
}

function lineOf(error: unknown): { readonly line?: number } {
  const mark = isRecord(error) ? error['mark'] : undefined;
  return isRecord(mark) && typeof mark['line'] === 'number' ? { line: mark['line'] + 1 } : {};
}
