const decimal = /^[1-9]\d*$/;

/**
 * Returns true if one version is older than another. Versions of one resource are compared as
 * integers (KEP-5504, Kubernetes 1.35). Other strings are opaque: the result is false.
 */
export function isOlder(version: string, than: string): boolean {
  const isShorter = version.length < than.length;
  if (!isShorter && (version.length > than.length || version >= than)) return false;
  return decimal.test(version) && decimal.test(than);
}

/** Returns true if one version is equal to another or later. False for versions without an order. */
export function hasReached(version: string, other: string): boolean {
  return decimal.test(version) && decimal.test(other) && !isOlder(version, other);
}
