import { describe, expect, test } from '@jest/globals';
import { standInUsage } from './stand-in-usage.ts';

// envtest asks the output of --help whether a program has a flag, and sets it then.
describe('the help of a stand-in', () => {
  test('lists the flags that kube-apiserver obeys, and no --insecure-port', () => {
    expect(standInUsage['kube-apiserver']).toMatch(/^\s*--secure-port\b/m);
    expect(standInUsage['kube-apiserver']).not.toContain('insecure-port');
  });

  test('lists the flag of etcd, and no --unsafe-no-fsync', () => {
    expect(standInUsage.etcd).toMatch(/^\s*--listen-client-urls\b/m);
    expect(standInUsage.etcd).not.toContain('unsafe-no-fsync');
  });
});
