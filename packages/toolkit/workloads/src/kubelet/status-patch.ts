import { equalJson } from '../objects/equal-json.ts';
import type { PodStatus } from './pod-status.ts';

/** The members of a status that kubelet removes if a Pod no longer has them. */
const removable = { reason: null, message: null, podIP: null, podIPs: null };

/** The members of a condition that kubelet removes. A strategic merge patch keeps each member that it does not name. */
const removableOfCondition = { reason: null, message: null };

/**
 * Returns the strategic merge patch that gives a Pod the wanted status; `undefined` if it has it. Conditions of other types
 * stay, as do the members of other controllers.
 */
export function statusPatch(present: PodStatus, wanted: PodStatus): object | undefined {
  const whole = { ...removable, ...wanted };
  const members = Object.keys(whole) as (keyof typeof whole)[];
  const types = new Set(wanted.conditions?.map(({ type }) => type));
  const owned = (present.conditions ?? []).filter(({ type }) => types.has(type));
  const compared = Object.fromEntries(
    members.map((member) => [member, member === 'conditions' ? owned : (present[member] ?? null)]),
  );
  if (equalJson(comparable(compared), comparable(whole))) return undefined;
  const conditions = wanted.conditions?.map((condition) => ({
    ...removableOfCondition,
    ...condition,
  }));
  return {
    ...whole,
    conditions,
    ...(whole.podIPs !== null && { podIPs: replacing(whole.podIPs) }),
    hostIPs: replacing(whole.hostIPs),
  };
}

/** Makes a list replace the present one, where a strategic merge patch would add its items. */
function replacing(items: readonly object[] = []): readonly object[] {
  return [...items, { $patch: 'replace' }];
}

/** A status without the times of probes, which no kubelet sets, and with its conditions in order. */
function comparable({
  conditions,
  ...others
}: {
  readonly conditions?: readonly { readonly type: string; readonly lastProbeTime?: unknown }[];
}): unknown {
  const plain = (conditions ?? [])
    .map(({ lastProbeTime: _time, ...condition }) => condition)
    .toSorted((one, other) => (one.type < other.type ? -1 : 1));
  return { ...others, conditions: plain };
}
