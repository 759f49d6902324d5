import { parseArgs } from 'node:util';

/** The parsed command line. */
export interface Arguments {
  readonly help: boolean;
  readonly port: number;
  readonly tls: boolean;
  readonly tokenAuthFile: string | undefined;
  readonly authorizationMode: 'AlwaysAllow' | 'RBAC';
  readonly anonymousAuth: boolean;
  readonly kubeconfigOut: string | undefined;
}

/** An invalid argument of the command line; the message names it. */
export class UsageError extends Error {
  override readonly name: string = 'UsageError';
}

/** The output of `--help`. */
export const usage = `keelson-apiserver: a Kubernetes API server in memory, for tests and demos

  --port N                      where to listen on 127.0.0.1; 0 takes a free one   (default 0)
  --no-tls                      serve http; kubectl then sends no token, so that only --anonymous-auth lets it in
                                (default https, with a certificate made at the start)
  --token-auth-file FILE        users by token: lines of token,user,uid,"group1,group2"
  --authorization-mode MODE     AlwaysAllow or RBAC                                (default AlwaysAllow)
  --anonymous-auth BOOL         whether requests without credentials are accepted, needs RBAC (default false)
  --kubeconfig-out FILE         writes a kubeconfig of an administrator, readable by you only;
                                without it, and without a token file, the file is a temporary one
  --help                        prints this

It prints where it listens and runs until SIGTERM or SIGINT. Everything it knows is gone at its end.`;

/** Parses the arguments after the command's name. Throws a `UsageError`. */
export function parseArguments(words: readonly string[]): Arguments {
  const values = read(words);
  const mode = values['authorization-mode'];
  const authorizationMode = oneOf('--authorization-mode', mode, ['AlwaysAllow', 'RBAC']);
  return {
    help: values.help,
    port: portOf(values.port),
    tls: values.tls,
    tokenAuthFile: values['token-auth-file'],
    authorizationMode,
    anonymousAuth: isAnonymous(values['anonymous-auth'], authorizationMode),
    kubeconfigOut: values['kubeconfig-out'],
  };
}

/** Refuses to make every local user an administrator, as kube-apiserver does. */
function isAnonymous(text: string, mode: Arguments['authorizationMode']): boolean {
  const value = oneOf('--anonymous-auth', text, ['true', 'false']) === 'true';
  if (value && mode === 'AlwaysAllow') {
    throw new UsageError('--anonymous-auth true needs --authorization-mode RBAC');
  }
  return value;
}

function read(words: readonly string[]): ReturnType<typeof readStrictly> {
  try {
    return readStrictly(words);
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

function readStrictly(words: readonly string[]): {
  help: boolean;
  port: string;
  tls: boolean;
  'token-auth-file'?: string;
  'authorization-mode': string;
  'anonymous-auth': string;
  'kubeconfig-out'?: string;
} {
  return parseArgs({
    args: [...words],
    allowPositionals: false,
    allowNegative: true,
    options: {
      help: { type: 'boolean', short: 'h', default: false },
      port: { type: 'string', default: '0' },
      tls: { type: 'boolean', default: true },
      'token-auth-file': { type: 'string' },
      'authorization-mode': { type: 'string', default: 'AlwaysAllow' },
      'anonymous-auth': { type: 'string', default: 'false' },
      'kubeconfig-out': { type: 'string' },
    },
  }).values;
}

function portOf(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535) {
    throw new UsageError(`--port takes a number from 0 to 65535, not ${text}`);
  }
  return port;
}

function oneOf<Choice extends string>(
  option: string,
  value: string,
  choices: readonly Choice[],
): Choice {
  const found = choices.find((choice) => choice === value);
  if (found === undefined) {
    throw new UsageError(`${option} takes ${choices.join(' or ')}, not ${value}`);
  }
  return found;
}
