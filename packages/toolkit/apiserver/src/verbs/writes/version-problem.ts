const MAX_UINT64 = 2n ** 64n - 1n;

/** Returns why Go does not read a resourceVersion, in its words; `undefined` for a valid or an empty one. */
export function versionProblem(resourceVersion: string): string | undefined {
  // All versions of this server have fewer digits than the largest one.
  if (resourceVersion === '' || /^\d{1,19}$/.test(resourceVersion)) return undefined;
  const isNumber = /^\d+$/.test(resourceVersion);
  if (isNumber && BigInt(resourceVersion) <= MAX_UINT64) return undefined;
  const why = isNumber ? 'value out of range' : 'invalid syntax';
  return `strconv.ParseUint: parsing ${JSON.stringify(resourceVersion)}: ${why}`;
}
