import type { KubernetesObject } from '@keelson/apimachinery';

/** The type and the name of an object in the notation of kube-apiserver's errors. */
export function goNames({ apiVersion = '', kind = '', metadata }: KubernetesObject): {
  readonly kind: string;
  readonly name: string;
} {
  const gvk = goKind(apiVersion, kind);
  return { kind: gvk, name: `${text(metadata?.namespace)}/${text(metadata?.name)}; ${gvk}` };
}

/** A name of another type counts as missing. */
function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Returns a kind as Go prints it: the empty name of the core group precedes a slash, as in `/v1, Kind=Pod`. */
export function goKind(apiVersion: string, kind: string): string {
  return `${apiVersion.includes('/') ? apiVersion : `/${apiVersion}`}, Kind=${kind}`;
}
