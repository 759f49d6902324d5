import type { KubernetesObject } from '@keelson/apimachinery';

/** The type and the name of an object in the notation of kube-apiserver's errors. */
export function goNames({ apiVersion = '', kind = '', metadata }: KubernetesObject): {
  readonly kind: string;
  readonly name: string;
} {
  // Go prints a version of the core group without a slash.
  const version = apiVersion.includes('/') ? apiVersion : `/${apiVersion}`;
  const gvk = `${version}, Kind=${kind}`;
  return { kind: gvk, name: `${metadata?.namespace ?? ''}/${metadata?.name ?? ''}; ${gvk}` };
}
