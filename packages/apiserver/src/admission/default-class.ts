import { asJson, type JsonObject } from '../json/json-value.ts';
import { ensureObject } from '../schema/default-rule.ts';
import type { ResourceStore } from '../storage/resource-store.ts';
import { type AdmissionPlugin, writes } from './admission-plugin.ts';

/** Where a kind names its class, and how a class says that it is the default one. */
interface ClassRule {
  readonly group: string;
  readonly plural: string;
  /** The member of `spec` that names the class. */
  readonly member: string;
  /** An annotation that named the class before the member existed. */
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

/** Gives new claims without a class the default StorageClass. */
export function defaultStorageClass(classes: ResourceStore): AdmissionPlugin {
  return defaultClass(storageClass, classes);
}

/** Gives new ingresses without a class the default IngressClass. */
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

/** Of several defaults the newest one counts, of those the first by name. */
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
