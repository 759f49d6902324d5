import type { KubernetesObject } from '@keelson/apimachinery';

/** What an object is and what it is called, in the words of kube-apiserver's errors. */
export function goNames({ apiVersion = '', kind = '', metadata }: KubernetesObject): {
  readonly kind: string;
  readonly name: string;
} {
  // As Go prints a version of the core group.
  const version = apiVersion.includes('/') ? apiVersion : `/${apiVersion}`;
  const gvk = `${version}, Kind=${kind}`;
  return { kind: gvk, name: `${metadata?.namespace ?? ''}/${metadata?.name ?? ''}; ${gvk}` };
}
