const decimal = /^[1-9]\d*$/;

/**
 * Whether one version is from before another, as far as that can be told: versions of one resource are
 * to be compared as integers (KEP-5504, Kubernetes 1.35), and anything else is opaque.
 */
export function isOlder(version: string, than: string): boolean {
  const isShorter = version.length < than.length;
  if (!isShorter && (version.length > than.length || version >= than)) return false;
  return decimal.test(version) && decimal.test(than);
}
