import { objectAt, textAt } from '../../json/json-members.ts';
import { compareQuantities } from '@keelson/cel/internal';
import type { JsonObject } from '@keelson/structural-schema';
import type { ResourceList } from '../../kinds/shared/resource-list.ts';
import { countName, type QuotaEvaluator } from './quota-evaluator.ts';
import { selects } from './quota-scope.ts';

const count = countName({ group: '', plural: 'persistentvolumeclaims' });
const names = ['persistentvolumeclaims', 'requests.storage'];
const ofClass = '.storageclass.storage.k8s.io/';

/** Counts claims by requested storage, in total and for each StorageClass. */
export const claimEvaluator: QuotaEvaluator = {
  handles: ({ scope, object, old }) =>
    scope === '' || (scope === 'status' && old !== undefined && usageKey(object) !== usageKey(old)),
  matching: (wanted) =>
    wanted.filter(
      (name) =>
        name === count ||
        names.includes(name) ||
        names.some((suffix) => name.endsWith(`${ofClass}${suffix}`)),
    ),
  matchesScope: (selector, claim) => {
    if (selector.scopeName !== 'VolumeAttributesClass') return false;
    const classes = attributesClassesOf(claim);
    return (classes.length === 0 ? [''] : classes).some((name) => selects(selector, name));
  },
  constraint: () => undefined,
  usage: (claim) => {
    const own = { persistentvolumeclaims: '1', ...storageOf(claim) };
    return { [count]: '1', ...own, ...byClass(classOf(claim), own) };
  },
};

/** A text that changes with what a status changes in the usage and the scopes of a claim. */
function usageKey(claim: JsonObject): string {
  return [allocated(claim), ...attributesClassesOf(claim)].join(' ');
}

/** The VolumeAttributesClasses that a claim has and those that it will have. */
function attributesClassesOf(claim: JsonObject): string[] {
  const status = objectAt(claim, 'status');
  const named = [
    textAt(objectAt(claim, 'spec'), 'volumeAttributesClassName'),
    textAt(status, 'currentVolumeAttributesClassName'),
    textAt(objectAt(status, 'modifyVolumeStatus'), 'targetVolumeAttributesClassName'),
  ];
  return named.filter((name) => name !== '');
}

function byClass(storageClass: string, usage: ResourceList): ResourceList {
  if (storageClass === '') return {};
  const entries = Object.entries(usage);
  return Object.fromEntries(
    entries.map(([name, value]) => [`${storageClass}${ofClass}${name}`, value]),
  );
}

function classOf(claim: JsonObject): string {
  const annotations = objectAt(objectAt(claim, 'metadata'), 'annotations');
  const former = textAt(annotations, 'volume.beta.kubernetes.io/storage-class');
  return former === '' ? textAt(objectAt(claim, 'spec'), 'storageClassName') : former;
}

/** The requested storage, or the allocated storage if that is larger. */
function storageOf(claim: JsonObject): ResourceList {
  const requests = objectAt(objectAt(objectAt(claim, 'spec'), 'resources'), 'requests');
  const requested = textAt(requests, 'storage');
  if (requested === '') return {};
  const isLess = compareQuantities(requested, allocated(claim)) < 0;
  return { 'requests.storage': isLess ? allocated(claim) : requested };
}

function allocated(claim: JsonObject): string {
  return textAt(objectAt(objectAt(claim, 'status'), 'allocatedResources'), 'storage');
}
