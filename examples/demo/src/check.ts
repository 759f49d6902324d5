/** One line of the summary: an expectation and the result. */
export interface Check {
  readonly what: string;
  readonly expected: string;
  readonly actual: string;
}

export function isMet({ expected, actual }: Check): boolean {
  return expected === actual;
}

/** The summary as lines; the last one gives the verdict. */
export function renderChecks(checks: readonly Check[]): string[] {
  const lines = checks.map((check) => {
    const { what, expected, actual } = check;
    return isMet(check) ? `  ✓ ${what}: ${actual}` : `  ✗ ${what}: ${actual}, expected ${expected}`;
  });
  const failed = checks.filter((check) => !isMet(check)).length;
  const verdict = failed === 0 ? `all ${checks.length} checks hold` : `${failed} checks FAILED`;
  return [...lines, '', verdict];
}
