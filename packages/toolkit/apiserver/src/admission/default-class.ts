import { ensureObject } from '../json/json-members.ts';
import { asJson, type JsonObject } from '@keelson/structural-schema';
import type { ResourceStore } from '../storage/resource-store.ts';
import { type AdmissionPlugin, writes } from './admission-plugin.ts';

/** Where a kind names its class, and how a class is marked as the default. */
interface ClassRule {
  readonly group: string;
  readonly plural: string;
  /** The member of `spec` that names the class. */
  readonly member: string;
  /** The older annotation that names the class, still honored. */
  readonly formerAnnotation: string;
  readonly isDefault: readonly string[];
}

const storageClass: ClassRule = {
  group: '',
  plural: 'persistentvolumeclaims',
  member: 'storageClassName',
  formerAnnotation: 'volume.beta.kubernetes.io/storage-class',
  isDefault: [
    'storageclass.kubernetes.io/is-default-class',
    'storageclass.beta.kubernetes.io/is-default-class',
  ],
};

const ingressClass: ClassRule = {
  group: 'networking.k8s.io',
  plural: 'ingresses',
  member: 'ingressClassName',
  formerAnnotation: 'kubernetes.io/ingress.class',
  isDefault: ['ingressclass.kubernetes.io/is-default-class'],
};

/** Sets the default StorageClass on new claims that name no class. */
export function defaultStorageClass(classes: ResourceStore): AdmissionPlugin {
  return defaultClass(storageClass, classes);
}

/** Sets the default IngressClass on new ingresses that name no class. */
export function defaultIngressClass(classes: ResourceStore): AdmissionPlugin {
  return defaultClass(ingressClass, classes);
}

function defaultClass(rule: ClassRule, classes: ResourceStore): AdmissionPlugin {
  return {
    mutate(request) {
      if (request.old !== undefined || !writes(request, rule.group, rule.plural)) return;
      if (request.object.metadata.annotations?.[rule.formerAnnotation] !== undefined) return;
      const spec: JsonObject = ensureObject(asJson(request.object), 'spec');
      if (spec[rule.member] !== undefined) return;
      const name = newestDefault(rule, classes);
      if (name !== undefined) spec[rule.member] = name;
    },
  };
}

/** The newest default class; the first by name if several have the same age. */
function newestDefault(rule: ClassRule, classes: ResourceStore): string | undefined {
  const defaults = [...classes.values()]
    .map(({ metadata }) => metadata)
    .filter(({ annotations = {} }) => rule.isDefault.some((name) => annotations[name] === 'true'));
  const [newest] = defaults.toSorted(
    (one, other) =>
      (other.creationTimestamp ?? '').localeCompare(one.creationTimestamp ?? '') ||
      (one.name ?? '').localeCompare(other.name ?? ''),
  );
  return newest?.name;
}
