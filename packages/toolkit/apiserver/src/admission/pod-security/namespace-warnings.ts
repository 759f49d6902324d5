import { objectAt } from '../../json/json-members.ts';
import { asJson } from '@keelson/structural-schema';
import type { ApiObject } from '../../storage/api-object.ts';
import type { ResourceStore } from '../../storage/resource-store.ts';
import { objectsIn } from '../stored-objects.ts';
import { type LevelVersion, showLevel } from './pod-security-policy.ts';
import { violationsOf } from './violations.ts';

/** Warnings for the existing pods that violate the level which a namespace is about to enforce. */
export function namespaceWarnings(
  pods: ResourceStore,
  namespace: string,
  enforce: LevelVersion,
): string[] {
  const names = new Map<string, string[]>();
  for (const pod of objectsIn(pods, namespace)) {
    const reasons = reasonsOf(pod, enforce);
    if (reasons === '') continue;
    names.set(reasons, [...(names.get(reasons) ?? []), pod.metadata.name ?? '']);
  }
  if (names.size === 0) return [];
  const level = showLevel(enforce);
  return [
    `existing pods in namespace "${namespace}" violate the new PodSecurity enforce level "${level}"`,
    ...[...names].map(([reasons, found]) => `${counted(found)}: ${reasons}`).toSorted(),
  ];
}

function reasonsOf({ metadata, ...rest }: ApiObject, enforce: LevelVersion): string {
  const pod = { annotations: metadata.annotations ?? {}, spec: objectAt(asJson(rest), 'spec') };
  const violations = violationsOf(pod, enforce);
  return violations.map(({ reason }) => reason).join(', ');
}

function counted([first = '', ...others]: readonly string[]): string {
  if (others.length === 0) return first;
  return `${first} (and ${others.length} other ${others.length === 1 ? 'pod' : 'pods'})`;
}
