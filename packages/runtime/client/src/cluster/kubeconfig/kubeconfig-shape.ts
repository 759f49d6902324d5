import { isRecord } from '../../values/record.ts';

/** The reason why a kubeconfig is invalid. Its message quotes no value, so an error may show it. */
export class KubeConfigError extends Error {}

type Members = Readonly<Record<string, unknown>>;
type Check = (value: unknown, at: string) => void;

/** The schema of one entry in a list of the kubeconfig. */
interface Entry {
  readonly holds: string;
  readonly required?: readonly string[];
  readonly members: Readonly<Record<string, Check>>;
}

/**
 * Checks the types of a kubeconfig, as kubectl does. client-node accepts any type and drops unknown ones, so
 * `as-groups: admins` would act without groups. Its other errors name no member.
 */
export function checkShape(raw: unknown): asserts raw is Record<string, unknown> {
  if (!isRecord(raw)) throw new KubeConfigError('it is not a mapping');
  optional(text)(raw['current-context'], 'current-context');
  for (const [list, entry] of Object.entries(entries)) {
    optional(listOf(entryOf(entry)))(raw[list], list);
  }
}

const text: Check = (value, at) => {
  if (typeof value !== 'string') throw new KubeConfigError(`${at} is not a string`);
};

const flag: Check = (value, at) => {
  if (typeof value !== 'boolean') throw new KubeConfigError(`${at} is neither true nor false`);
};

/** In YAML, `null` equals a missing member. */
function optional(check: Check): Check {
  return (value, at) => {
    if (value !== undefined && value !== null) check(value, at);
  };
}

function listOf(check: Check): Check {
  return (value, at) => {
    if (!Array.isArray(value)) throw new KubeConfigError(`${at} is not a list`);
    for (const [index, each] of value.entries()) check(each, `${at}[${index}]`);
  };
}

function mapOf(check: Check): Check {
  return (value, at) => {
    if (!isRecord(value)) throw new KubeConfigError(`${at} is not a mapping`);
    // The error does not name the key, because a user may have written a secret in its place.
    for (const each of Object.values(value)) check(each, `a value of ${at}`);
  };
}

function mappingOf(members: Readonly<Record<string, Check>>): Check {
  return (value, at) => {
    if (!isRecord(value)) throw new KubeConfigError(`${at} is not a mapping`);
    for (const [name, check] of Object.entries(members)) {
      optional(check)(value[name], `${at}.${name}`);
    }
  };
}

function entryOf({ holds, required = [], members }: Entry): Check {
  return (value, at) => {
    if (!isRecord(value)) throw new KubeConfigError(`${at} is not a mapping`);
    present(value['name'], `${at}.name`);
    optional(mappingOf(members))(value[holds], `${at}.${holds}`);
    for (const name of required) {
      const held = value[holds] as Members | null | undefined;
      present(held?.[name], `${at}.${holds}.${name}`);
    }
  };
}

function present(value: unknown, at: string): void {
  if (value === undefined || value === null || value === '') {
    throw new KubeConfigError(`${at} is missing`);
  }
  text(value, at);
}

function texts(...names: readonly string[]): Record<string, Check> {
  return Object.fromEntries(names.map((name) => [name, text]));
}

/** Accepts a string or a time. Without quotes, YAML parses the value of `expiry: 2026-01-01T00:00:00Z` as a time. */
const scalar: Check = (value, at) => {
  if (!(value instanceof Date)) text(value, at);
};

const exec: Check = mappingOf({
  ...texts('apiVersion', 'command', 'installHint', 'interactiveMode'),
  args: listOf(text),
  env: listOf(mappingOf(texts('name', 'value'))),
  provideClusterInfo: flag,
});

const providerConfig: Check = (value, at) => {
  if (!isRecord(value)) throw new KubeConfigError(`${at} is not a mapping`);
  // client-node also accepts an exec plugin within an auth-provider.
  const { exec: nested, ...others } = value;
  optional(exec)(nested, `${at}.exec`);
  mapOf(optional(scalar))(others, at);
};

const entries: Readonly<Record<string, Entry>> = {
  clusters: {
    holds: 'cluster',
    required: ['server'],
    members: {
      ...texts('server', 'tls-server-name', 'certificate-authority', 'certificate-authority-data'),
      ...texts('proxy-url'),
      'insecure-skip-tls-verify': flag,
      'disable-compression': flag,
    },
  },
  users: {
    holds: 'user',
    members: {
      ...texts('client-certificate', 'client-certificate-data', 'client-key', 'client-key-data'),
      ...texts('token', 'tokenFile', 'token-file', 'username', 'password', 'as', 'as-uid'),
      'as-groups': listOf(text),
      'as-user-extra': mapOf(listOf(text)),
      'auth-provider': mappingOf({ name: text, config: providerConfig }),
      exec,
    },
  },
  contexts: {
    holds: 'context',
    required: ['cluster'],
    members: texts('cluster', 'user', 'namespace'),
  },
};
