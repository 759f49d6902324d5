import type { IncomingMessage } from 'node:http';
import { badRequest } from '../../status-errors/status-errors.ts';
import type { User } from '../user.ts';

const userHeader = 'impersonate-user';
const uidHeader = 'impersonate-uid';
const groupHeader = 'impersonate-group';
const extraPrefix = 'impersonate-extra-';

/**
 * Reads the user to impersonate (`kubectl --as`) and removes the headers, so that later handlers see only that user.
 * Returns `undefined` without these headers. Throws 400 if the user name is missing.
 */
export function takeWantedUser(
  incoming: Pick<IncomingMessage, 'headers' | 'headersDistinct'>,
): User | undefined {
  const names = Object.keys(incoming.headers).filter(isImpersonation);
  if (names.length === 0) return undefined;
  // Node.js builds these lists on first access; other requests do not pay for them.
  const lists = incoming.headersDistinct;
  const values = new Map(names.map((name) => [name, (lists[name] ?? []).map(utf8)]));
  for (const name of names) {
    delete incoming.headers[name];
    delete lists[name];
  }
  return wantedUser(values);
}

function wantedUser(values: ReadonlyMap<string, readonly string[]>): User | undefined {
  const [name = ''] = values.get(userHeader) ?? [];
  const [uid = ''] = values.get(uidHeader) ?? [];
  const groups = values.get(groupHeader) ?? [];
  const extra = extraOf(values);
  const wanted = { name, ...(uid !== '' && { uid }), groups, ...(extra && { extra }) };
  if (name !== '') return wanted;
  if (uid === '' && groups.length === 0 && extra === undefined) return undefined;
  throw badRequest(`requested ${goSyntax(wanted)} without impersonating a user name`);
}

function extraOf(values: ReadonlyMap<string, readonly string[]>): User['extra'] {
  const extra = new Map<string, readonly string[]>();
  for (const [name, list] of values) {
    if (!name.startsWith(extraPrefix)) continue;
    const key = unescaped(name.slice(extraPrefix.length));
    extra.set(key, [...(extra.get(key) ?? []), ...list]);
  }
  return extra.size === 0 ? undefined : Object.fromEntries(extra);
}

function isImpersonation(name: string): boolean {
  return (
    name === userHeader ||
    name === uidHeader ||
    name === groupHeader ||
    name.startsWith(extraPrefix)
  );
}

/** Decodes a percent-encoded key (header names allow few characters). An invalid encoding is kept unchanged. */
function unescaped(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}

/** Decodes UTF-8, which Go clients send; Node.js reads headers as Latin-1. */
function utf8(value: string): string {
  return Buffer.from(value, 'latin1').toString();
}

/** Formats the user like kube-apiserver. */
function goSyntax({ name, uid = '', groups, extra }: User): string {
  const entries = Object.entries(extra ?? {}).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const map = entries.map(([key, values]) => `${JSON.stringify(key)}:${goList(values)}`).join(', ');
  const groupList = groups.length === 0 ? '[]string(nil)' : goList(groups);
  const extraMap = `map[string][]string${extra === undefined ? '(nil)' : `{${map}}`}`;
  return `&user.DefaultInfo{Name:${JSON.stringify(name)}, UID:${JSON.stringify(uid)}, Groups:${groupList}, Extra:${extraMap}}`;
}

function goList(values: readonly string[]): string {
  return `[]string{${values.map((value) => JSON.stringify(value)).join(', ')}}`;
}
