const pattern = /^v([1-9]\d*)(?:(alpha|beta)([1-9]\d*))?$/;
const stages = ['alpha', 'beta', undefined];

/**
 * Compares API versions by preference: stable, beta, alpha, each from the highest number down, then others by text.
 * Source: the order of `spec.versions` in a CustomResourceDefinition.
 */
export function compareVersions(a: string, b: string): number {
  const left = pattern.exec(a);
  const right = pattern.exec(b);
  if (left === null || right === null) {
    if (left !== null) return -1;
    if (right !== null) return 1;
    return a < b ? -1 : Number(a > b);
  }
  return (
    stages.indexOf(right[2]) - stages.indexOf(left[2]) ||
    Number(right[1]) - Number(left[1]) ||
    Number(right[3] ?? 0) - Number(left[3] ?? 0)
  );
}
