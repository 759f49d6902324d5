import type { Cluster } from '@keelson/client';

/**
 * Writes a kubeconfig for one user of one cluster. The text is JSON, which is also YAML, so that names and keys
 * need no quoting rules. The extension makes `loadCluster` return a cluster with `development`.
 */
export function kubeconfigText(name: string, cluster: Cluster): string {
  const { server, tls = {}, token } = cluster;
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      {
        name: 'test',
        cluster: {
          server,
          ...(tls.ca !== undefined && { 'certificate-authority-data': base64(tls.ca) }),
        },
      },
    ],
    users: [
      {
        name,
        user: {
          ...(token !== undefined && { token }),
          ...(tls.cert !== undefined && { 'client-certificate-data': base64(tls.cert) }),
          ...(tls.key !== undefined && { 'client-key-data': base64(tls.key) }),
        },
      },
    ],
    contexts: [{ name: 'test', context: { cluster: 'test', user: name } }],
    'current-context': 'test',
    extensions: [{ name: 'keelson.dev/development', extension: {} }],
  };
  return `${JSON.stringify(config, undefined, 2)}\n`;
}

type Pem = NonNullable<NonNullable<Cluster['tls']>['ca']>;

function base64(pem: Pem): string {
  const parts = typeof pem === 'string' || pem instanceof Uint8Array ? [pem] : pem;
  return Buffer.concat(parts.map((part) => Buffer.from(part))).toString('base64');
}
