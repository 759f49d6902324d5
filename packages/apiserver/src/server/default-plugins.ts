import type { JsonObject } from '../json/json-value.ts';
import type { AddressRange } from '../resources/address-range.ts';
import type { ResourceRegistry } from '../resources/resource-registry.ts';
import type { CreateContext } from '../schema/kind-schema.ts';
import { AdmissionChain } from '../admission/admission-chain.ts';
import { persistentVolumeClaimResize } from '../admission/claim-resize.ts';
import { defaultIngressClass, defaultStorageClass } from '../admission/default-class.ts';
import { limitRanger } from '../admission/limit-ranger.ts';
import { podSecurity } from '../admission/pod-security/pod-security.ts';
import { priority } from '../admission/priority.ts';
import { resourceQuota } from '../admission/quota/resource-quota.ts';
import { runtimeClass } from '../admission/runtime-class.ts';
import type { ResourceList } from '../admission/resource-list.ts';
import { serviceNetworking } from '../admission/services/service-networking.ts';
import { storeOf } from '../admission/stored-objects.ts';

/** What the plugins take from the server. */
export interface DefaultPluginsContext {
  readonly registry: ResourceRegistry;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** The addresses of Services. */
  readonly range: AddressRange;
  readonly allocator: Omit<CreateContext, 'now'>;
  /** Stores what is used of a ResourceQuota. */
  readonly setUsed: (quota: JsonObject, used: ResourceList) => void;
}

/** Those of kube-apiserver's default plugins that are built, in its order. */
export function defaultPlugins(context: DefaultPluginsContext): AdmissionChain {
  const { registry, now, setUsed, range, allocator } = context;
  const core = (plural: string): ReturnType<typeof storeOf> =>
    storeOf(registry, { group: '', version: 'v1', plural });
  const of = (group: string, plural: string): ReturnType<typeof storeOf> =>
    storeOf(registry, { group, version: 'v1', plural });
  const storageClasses = of('storage.k8s.io', 'storageclasses');
  return new AdmissionChain([
    limitRanger(core('limitranges')),
    podSecurity({ namespaces: core('namespaces'), pods: core('pods') }),
    priority(of('scheduling.k8s.io', 'priorityclasses')),
    runtimeClass(of('node.k8s.io', 'runtimeclasses')),
    defaultStorageClass(storageClasses),
    persistentVolumeClaimResize(storageClasses),
    defaultIngressClass(of('networking.k8s.io', 'ingressclasses')),
    resourceQuota({ quotas: core('resourcequotas'), now, setUsed }),
    serviceNetworking({ services: core('services'), range, allocator }),
  ]);
}
