import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';

/** The place in a Pod at which the kubelet mounts the token, the certificate authority and the namespace. */
const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

/** A cluster as a Pod sees it. */
export interface PodOptions {
  /** The https URL of the API server. */
  readonly server: string;
  /** The folder that appears as that of the service account. */
  readonly folder: string;
}

/** The contents of the three files of a service account. */
export interface ServiceAccountFiles {
  readonly token: string;
  readonly ca: string;
  readonly namespace: string;
}

export async function writeServiceAccount(
  folder: string,
  { token, ca, namespace }: ServiceAccountFiles,
): Promise<void> {
  await Promise.all([
    fs.writeFile(join(folder, 'token'), token),
    fs.writeFile(join(folder, 'ca.crt'), ca),
    fs.writeFile(join(folder, 'namespace'), namespace),
  ]);
}

/** Returns the environment of a Pod: no kubeconfig, and the address of the API server in variables. */
export function podEnvironment({ server, folder }: PodOptions): Record<string, string> {
  const { hostname, port } = new URL(server);
  const address = { KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port };
  return { ...address, HOME: join(folder, 'home'), KUBECONFIG: '' };
}

/** Makes a folder appear as that of the service account, for this process only. */
export function mountServiceAccount(folder: string): void {
  for (const name of ['access', 'readFile'] as const) {
    const real = fs[name] as (path: unknown, ...rest: readonly unknown[]) => unknown;
    const mounted = (path: unknown, ...rest: readonly unknown[]): unknown =>
      real(mountedPath(path, folder), ...rest);
    Object.assign(fs, { [name]: mounted });
  }
  syncBuiltinESMExports();
}

function mountedPath(path: unknown, folder: string): unknown {
  if (typeof path !== 'string' || !path.startsWith(`${SERVICE_ACCOUNT}/`)) return path;
  return join(folder, path.slice(SERVICE_ACCOUNT.length));
}
