import { asJson } from '@keelson/structural-schema';
import { objectAt, textAt } from '../json/json-members.ts';
import type { ResourceStore } from '../storage/resource-store.ts';
import type { StoredObject } from '../storage/stored-object.ts';

/** The requests that kube-apiserver handles at once by default: `--max-requests-inflight` and `--max-mutating-requests-inflight`. */
const ALL_SEATS = 600;

/**
 * Returns the nominal seats of each priority level. Source: `finishQueueSetReconfigsLocked` in
 * `pkg/util/flowcontrol/apf_controller.go`.
 */
export function nominalSeats(levels: ResourceStore): ReadonlyMap<string, number> {
  const shares = Array.from(levels.values(), (level): [string, number] => [
    level.metadata.name ?? '',
    sharesOf(level),
  ]);
  const sum = shares.reduce((total, [, own]) => total + own, 0);
  return new Map(shares.map(([name, own]) => [name, Math.ceil((ALL_SEATS * own) / sum)]));
}

function sharesOf(level: StoredObject): number {
  const spec = objectAt(asJson(level.parse()), 'spec');
  const part = objectAt(spec, textAt(spec, 'type') === 'Exempt' ? 'exempt' : 'limited');
  return Number(part.nominalConcurrencyShares ?? 0);
}
