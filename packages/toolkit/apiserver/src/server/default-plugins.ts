import type { JsonObject } from '@keelson/structural-schema';
import type { ResourceRegistry } from '../resources/resource-registry.ts';
import type { Authorizer } from '../auth/authorizer.ts';
import { DynamicAdmission } from '../admission/dynamic-admission.ts';
import type { WebhookClient } from '../webhooks/webhook-client.ts';
import type { AdmissionPlugins } from '../admission/admission-chain.ts';
import {
  certificateApproval,
  certificateSigning,
  certificateSubjectRestriction,
  type SignerAccess,
} from '../admission/certificates.ts';
import { persistentVolumeClaimResize } from '../admission/claim-resize.ts';
import { defaultIngressClass, defaultStorageClass } from '../admission/default-class.ts';
import { defaultTolerations } from '../admission/default-tolerations.ts';
import { limitRanger } from '../admission/limit-ranger.ts';
import { podSecurity } from '../admission/pod-security/pod-security.ts';
import { priority } from '../admission/priority.ts';
import { resourceQuota } from '../admission/quota/resource-quota.ts';
import { runtimeClass } from '../admission/runtime-class.ts';
import type { ResourceList } from '../kinds/shared/resource-list.ts';
import { storeOf } from '../admission/stored-objects.ts';

export interface DefaultPluginsContext {
  readonly registry: ResourceRegistry;
  /** Returns milliseconds since the epoch. */
  readonly now: () => number;
  readonly authorizer: Authorizer;
  readonly access: SignerAccess;
  /** Calls webhooks. */
  readonly client: WebhookClient;
  /** Writes the usage of a ResourceQuota into its status. */
  readonly setUsed: (quota: JsonObject, used: ResourceList) => void;
}

/** Creates the implemented default plugins of kube-apiserver, in its order. */
export function defaultPlugins(context: DefaultPluginsContext): AdmissionPlugins {
  const { registry, now, setUsed, authorizer, access, client } = context;
  const core = (plural: string): ReturnType<typeof storeOf> =>
    storeOf(registry, { group: '', version: 'v1', plural });
  const of = (group: string, plural: string): ReturnType<typeof storeOf> =>
    storeOf(registry, { group, version: 'v1', plural });
  const storageClasses = of('storage.k8s.io', 'storageclasses');
  const builtin = [
    limitRanger(core('limitranges')),
    podSecurity({ namespaces: core('namespaces'), pods: core('pods') }),
    priority(of('scheduling.k8s.io', 'priorityclasses')),
    defaultTolerations,
    runtimeClass(of('node.k8s.io', 'runtimeclasses')),
    defaultStorageClass(storageClasses),
    persistentVolumeClaimResize(storageClasses),
    certificateApproval(access),
    certificateSigning(access),
    certificateSubjectRestriction(),
    defaultIngressClass(of('networking.k8s.io', 'ingressclasses')),
  ];
  const dynamic = new DynamicAdmission({
    registry,
    authorizer,
    client,
    namespaces: core('namespaces'),
    configurations: (plural) => of('admissionregistration.k8s.io', plural),
  });
  const last = [resourceQuota({ quotas: core('resourcequotas'), now, setUsed })];
  return { builtin, dynamic, last };
}
