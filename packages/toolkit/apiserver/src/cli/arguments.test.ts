import { describe, expect, test } from '@jest/globals';
import { parseArguments, usage, UsageError } from './arguments.ts';

describe('the command line of keelson-apiserver', () => {
  test('defaults to a free port, HTTPS, no anonymous requests and no authorization', () => {
    expect(parseArguments([])).toEqual({
      help: false,
      port: 0,
      tls: true,
      tokenAuthFile: undefined,
      authorizationMode: 'AlwaysAllow',
      anonymousAuth: false,
      kubeconfigOut: undefined,
    });
  });

  test('accepts every option, also in the form --option=value', () => {
    const words = ['--port=8443', '--no-tls', '--token-auth-file', 't.csv'];
    const more = ['--authorization-mode', 'RBAC', '--anonymous-auth=true', '--kubeconfig-out', 'k'];
    expect(parseArguments([...words, ...more])).toEqual({
      help: false,
      port: 8443,
      tls: false,
      tokenAuthFile: 't.csv',
      authorizationMode: 'RBAC',
      anonymousAuth: true,
      kubeconfigOut: 'k',
    });
  });

  test.each([
    [['--port', 'http'], '--port takes a number from 0 to 65535, not http'],
    [['--port', '70000'], '--port takes a number from 0 to 65535, not 70000'],
    [['--authorization-mode', 'ABAC'], '--authorization-mode takes AlwaysAllow or RBAC, not ABAC'],
    [['--anonymous-auth', 'maybe'], '--anonymous-auth takes true or false, not maybe'],
    [['--anonymous-auth', 'true'], '--anonymous-auth true needs --authorization-mode RBAC'],
  ])('rejects %j with the name of the option', (words, message) => {
    expect(() => parseArguments(words)).toThrow(new UsageError(message));
  });

  test.each([['--prot'], ['serve'], ['--kubeconfig-out']])('rejects %s', (word) => {
    expect(() => parseArguments([word])).toThrow(UsageError);
  });

  test('the help names every option', () => {
    for (const option of [
      'port',
      'no-tls',
      'token-auth-file',
      'authorization-mode',
      'anonymous-auth',
      'kubeconfig-out',
    ]) {
      expect(usage).toContain(`--${option}`);
    }
  });
});
