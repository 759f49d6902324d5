import { describe, expect, test } from '@jest/globals';
import { parseArguments, usage } from './arguments.ts';
import { UsageError } from './flags/flag-values.ts';

describe('the command line of keelson-apiserver', () => {
  test('defaults to a free port, HTTPS, no anonymous requests and no authorization', () => {
    expect(parseArguments([])).toEqual({
      help: false,
      port: 0,
      tls: true,
      certDir: undefined,
      clientCaFile: undefined,
      serviceClusterIpRange: undefined,
      tokenAuthFile: undefined,
      authorizationMode: 'AlwaysAllow',
      anonymousAuth: false,
      kubeconfigOut: undefined,
    });
  });

  test('accepts every option, also in the form --option=value', () => {
    const words = ['--port=8443', '--tls', '--token-auth-file', 't.csv', '--cert-dir=c'];
    const more = ['--authorization-mode', 'RBAC', '--anonymous-auth=true', '--kubeconfig-out', 'k'];
    const network = ['--client-ca-file', 'ca.crt', '--service-cluster-ip-range', '10.0.0.0/24'];
    expect(parseArguments([...words, ...more, ...network])).toEqual({
      help: false,
      port: 8443,
      tls: true,
      certDir: 'c',
      clientCaFile: 'ca.crt',
      serviceClusterIpRange: '10.0.0.0/24',
      tokenAuthFile: 't.csv',
      authorizationMode: 'RBAC',
      anonymousAuth: true,
      kubeconfigOut: 'k',
    });
  });

  test.each([
    ['AlwaysAllow', 'AlwaysAllow'],
    ['RBAC', 'RBAC'],
    ['RBAC,AlwaysAllow', 'AlwaysAllow'],
  ])('reads the list of authorizers %s as %s', (list, authorizationMode) => {
    expect(parseArguments(['--authorization-mode', list])).toMatchObject({ authorizationMode });
  });

  test.each([
    [['--no-tls', '--cert-dir', 'c'], '--cert-dir cannot be used with --no-tls'],
    [
      ['--service-cluster-ip-range', '10.0.0.0/33'],
      '--service-cluster-ip-range takes a network of IPv4 with a prefix of 12 to 29 bits, not 10.0.0.0/33',
    ],
    [['--no-tls', '--client-ca-file', 'f'], '--client-ca-file cannot be used with --no-tls'],
    [
      ['--authorization-mode', 'RBAC,'],
      '--authorization-mode takes AlwaysAllow or RBAC, not RBAC,',
    ],
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
      'cert-dir',
      'client-ca-file',
      'token-auth-file',
      'authorization-mode',
      'anonymous-auth',
      'service-cluster-ip-range',
      'kubeconfig-out',
    ]) {
      expect(usage).toContain(`--${option}`);
    }
  });
});
