import { baselineChecks } from './baseline-checks.ts';
import type { LevelVersion } from './pod-security-policy.ts';
import { restrictedChecks } from './restricted-checks.ts';
import type { CheckedPod, SecurityCheck, Violation } from './security-check.ts';

/** The violations of a level by a pod, in the order in which kube-apiserver reports them. */
export function violationsOf(pod: CheckedPod, { level, version }: LevelVersion): Violation[] {
  if (level === 'privileged') return [];
  const minor = version === 'latest' ? Number.POSITIVE_INFINITY : version;
  return checksOf(level, minor).flatMap((check) => latest(check, minor)?.check(pod) ?? []);
}

/** Formats violations: `host namespaces (hostNetwork=true), privileged (container "a" …)`. */
export function showViolations(violations: readonly Violation[]): string {
  return violations.map(({ reason, detail }) => `${reason} (${detail})`).join(', ');
}

function checksOf(level: 'baseline' | 'restricted', minor: number): readonly SecurityCheck[] {
  if (level === 'baseline') return baselineChecks;
  const active = restrictedChecks.filter((check) => latest(check, minor) !== undefined);
  const overridden = new Set(active.map(({ overrides }) => overrides));
  return [...baselineChecks.filter(({ id }) => !overridden.has(id)), ...active];
}

function latest(
  { versions }: SecurityCheck,
  minor: number,
): SecurityCheck['versions'][number] | undefined {
  return versions.findLast(({ since }) => since <= minor);
}
