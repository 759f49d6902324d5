// The types come from an inner module, because the declarations of the main module import `ws`, whose types client-node
// does not install.
import type {
  CoreV1Event,
  EventsV1Event,
  V1Binding,
  V1CSIDriver,
  V1CSINode,
  V1CSIStorageCapacity,
  V1ClusterRole,
  V1ClusterRoleBinding,
  V1ComponentStatus,
  V1ConfigMap,
  V1ControllerRevision,
  V1CronJob,
  V1CustomResourceDefinition,
  V1DaemonSet,
  V1Deployment,
  V1EndpointSlice,
  V1Endpoints,
  V1IPAddress,
  V1Ingress,
  V1IngressClass,
  V1Job,
  V1Lease,
  V1LimitRange,
  V1LocalSubjectAccessReview,
  V1MutatingAdmissionPolicy,
  V1MutatingAdmissionPolicyBinding,
  V1MutatingWebhookConfiguration,
  V1Namespace,
  V1NetworkPolicy,
  V1Node,
  V1PersistentVolume,
  V1PersistentVolumeClaim,
  V1Pod,
  V1PodDisruptionBudget,
  V1PodTemplate,
  V1ReplicaSet,
  V1ReplicationController,
  V1ResourceQuota,
  V1Role,
  V1RoleBinding,
  V1Secret,
  V1SelfSubjectAccessReview,
  V1SelfSubjectReview,
  V1SelfSubjectRulesReview,
  V1Service,
  V1ServiceAccount,
  V1ServiceCIDR,
  V1StatefulSet,
  V1StorageClass,
  V1SubjectAccessReview,
  V1TokenReview,
  V1ValidatingAdmissionPolicy,
  V1ValidatingAdmissionPolicyBinding,
  V1ValidatingWebhookConfiguration,
  V1VolumeAttachment,
  V1VolumeAttributesClass,
  V1beta1LeaseCandidate,
  V2HorizontalPodAutoscaler,
} from '@kubernetes/client-node/dist/gen/models/all.js';

import { defineResource, type ApiResource, type Scope } from './api-resource.ts';
import type { ClusterScoped } from './kubernetes-object.ts';
import type { Wire } from './wire.ts';

const core = kindsOf('', 'v1');
const apps = kindsOf('apps', 'v1');
const batch = kindsOf('batch', 'v1');
const networking = kindsOf('networking.k8s.io', 'v1');
const policy = kindsOf('policy', 'v1');
const rbac = kindsOf('rbac.authorization.k8s.io', 'v1');
const storage = kindsOf('storage.k8s.io', 'v1');
const autoscaling = kindsOf('autoscaling', 'v2');
const coordination = kindsOf('coordination.k8s.io', 'v1');
const coordinationBeta = kindsOf('coordination.k8s.io', 'v1beta1');
const events = kindsOf('events.k8s.io', 'v1');
const apiextensions = kindsOf('apiextensions.k8s.io', 'v1');
const admission = kindsOf('admissionregistration.k8s.io', 'v1');
const discovery = kindsOf('discovery.k8s.io', 'v1');
const authentication = kindsOf('authentication.k8s.io', 'v1');
const authorization = kindsOf('authorization.k8s.io', 'v1');
const clusterScoped: Scoped = { scope: 'Cluster' };

/**
 * The tokens of Kubernetes' own kinds, each at its most stable version: `builtin.Deployment`. Kinds that are
 * only created, never stored (`TokenReview`), are among them; those that are only subresources
 * (`Scale`, `Eviction`, `TokenRequest`) have no token. `Event` is the core kind, `EventsV1Event` the
 * same kind in `events.k8s.io`.
 */
export const builtin = {
  // v1
  Binding: core('Binding', 'bindings') as ApiResource<Wire<V1Binding>>,
  ComponentStatus: core('ComponentStatus', 'componentstatuses', clusterScoped) as ApiResource<
    ClusterScoped<Wire<V1ComponentStatus>>
  >,
  ConfigMap: core('ConfigMap', 'configmaps') as ApiResource<Wire<V1ConfigMap>>,
  Endpoints: core('Endpoints', 'endpoints') as ApiResource<Wire<V1Endpoints>>,
  Event: core('Event', 'events') as ApiResource<Wire<CoreV1Event>>,
  LimitRange: core('LimitRange', 'limitranges') as ApiResource<Wire<V1LimitRange>>,
  Namespace: core('Namespace', 'namespaces', clusterScoped) as ApiResource<
    ClusterScoped<Wire<V1Namespace>>
  >,
  Node: core('Node', 'nodes', clusterScoped) as ApiResource<ClusterScoped<Wire<V1Node>>>,
  PersistentVolumeClaim: core('PersistentVolumeClaim', 'persistentvolumeclaims') as ApiResource<
    Wire<V1PersistentVolumeClaim>
  >,
  PersistentVolume: core('PersistentVolume', 'persistentvolumes', clusterScoped) as ApiResource<
    ClusterScoped<Wire<V1PersistentVolume>>
  >,
  Pod: core('Pod', 'pods') as ApiResource<Wire<V1Pod>>,
  PodTemplate: core('PodTemplate', 'podtemplates') as ApiResource<Wire<V1PodTemplate>>,
  ReplicationController: core('ReplicationController', 'replicationcontrollers') as ApiResource<
    Wire<V1ReplicationController>
  >,
  ResourceQuota: core('ResourceQuota', 'resourcequotas') as ApiResource<Wire<V1ResourceQuota>>,
  Secret: core('Secret', 'secrets') as ApiResource<Wire<V1Secret>>,
  ServiceAccount: core('ServiceAccount', 'serviceaccounts') as ApiResource<Wire<V1ServiceAccount>>,
  Service: core('Service', 'services') as ApiResource<Wire<V1Service>>,

  // apps/v1
  ControllerRevision: apps('ControllerRevision', 'controllerrevisions') as ApiResource<
    Wire<V1ControllerRevision>
  >,
  DaemonSet: apps('DaemonSet', 'daemonsets') as ApiResource<Wire<V1DaemonSet>>,
  Deployment: apps('Deployment', 'deployments') as ApiResource<Wire<V1Deployment>>,
  ReplicaSet: apps('ReplicaSet', 'replicasets') as ApiResource<Wire<V1ReplicaSet>>,
  StatefulSet: apps('StatefulSet', 'statefulsets') as ApiResource<Wire<V1StatefulSet>>,

  // batch/v1
  CronJob: batch('CronJob', 'cronjobs') as ApiResource<Wire<V1CronJob>>,
  Job: batch('Job', 'jobs') as ApiResource<Wire<V1Job>>,

  // networking.k8s.io/v1
  IngressClass: networking('IngressClass', 'ingressclasses', clusterScoped) as ApiResource<
    ClusterScoped<Wire<V1IngressClass>>
  >,
  Ingress: networking('Ingress', 'ingresses') as ApiResource<Wire<V1Ingress>>,
  IPAddress: networking('IPAddress', 'ipaddresses', clusterScoped) as ApiResource<
    ClusterScoped<Wire<V1IPAddress>>
  >,
  NetworkPolicy: networking('NetworkPolicy', 'networkpolicies') as ApiResource<
    Wire<V1NetworkPolicy>
  >,
  ServiceCIDR: networking('ServiceCIDR', 'servicecidrs', clusterScoped) as ApiResource<
    ClusterScoped<Wire<V1ServiceCIDR>>
  >,

  // policy/v1
  PodDisruptionBudget: policy('PodDisruptionBudget', 'poddisruptionbudgets') as ApiResource<
    Wire<V1PodDisruptionBudget>
  >,

  // rbac.authorization.k8s.io/v1
  ClusterRoleBinding: rbac(
    'ClusterRoleBinding',
    'clusterrolebindings',
    clusterScoped,
  ) as ApiResource<ClusterScoped<Wire<V1ClusterRoleBinding>>>,
  ClusterRole: rbac('ClusterRole', 'clusterroles', clusterScoped) as ApiResource<
    ClusterScoped<Wire<V1ClusterRole>>
  >,
  RoleBinding: rbac('RoleBinding', 'rolebindings') as ApiResource<Wire<V1RoleBinding>>,
  Role: rbac('Role', 'roles') as ApiResource<Wire<V1Role>>,

  // storage.k8s.io/v1
  CSIDriver: storage('CSIDriver', 'csidrivers', clusterScoped) as ApiResource<
    ClusterScoped<Wire<V1CSIDriver>>
  >,
  CSINode: storage('CSINode', 'csinodes', clusterScoped) as ApiResource<
    ClusterScoped<Wire<V1CSINode>>
  >,
  CSIStorageCapacity: storage('CSIStorageCapacity', 'csistoragecapacities') as ApiResource<
    Wire<V1CSIStorageCapacity>
  >,
  StorageClass: storage('StorageClass', 'storageclasses', clusterScoped) as ApiResource<
    ClusterScoped<Wire<V1StorageClass>>
  >,
  VolumeAttachment: storage('VolumeAttachment', 'volumeattachments', clusterScoped) as ApiResource<
    ClusterScoped<Wire<V1VolumeAttachment>>
  >,
  VolumeAttributesClass: storage(
    'VolumeAttributesClass',
    'volumeattributesclasses',
    clusterScoped,
  ) as ApiResource<ClusterScoped<Wire<V1VolumeAttributesClass>>>,

  // autoscaling/v2
  HorizontalPodAutoscaler: autoscaling(
    'HorizontalPodAutoscaler',
    'horizontalpodautoscalers',
  ) as ApiResource<Wire<V2HorizontalPodAutoscaler>>,

  // coordination.k8s.io/v1
  Lease: coordination('Lease', 'leases') as ApiResource<Wire<V1Lease>>,

  // coordination.k8s.io/v1beta1
  LeaseCandidate: coordinationBeta('LeaseCandidate', 'leasecandidates') as ApiResource<
    Wire<V1beta1LeaseCandidate>
  >,

  // events.k8s.io/v1
  EventsV1Event: events('Event', 'events') as ApiResource<Wire<EventsV1Event>>,

  // apiextensions.k8s.io/v1
  CustomResourceDefinition: apiextensions(
    'CustomResourceDefinition',
    'customresourcedefinitions',
    clusterScoped,
  ) as ApiResource<ClusterScoped<Wire<V1CustomResourceDefinition>>>,

  // admissionregistration.k8s.io/v1
  MutatingAdmissionPolicy: admission(
    'MutatingAdmissionPolicy',
    'mutatingadmissionpolicies',
    clusterScoped,
  ) as ApiResource<ClusterScoped<Wire<V1MutatingAdmissionPolicy>>>,
  MutatingAdmissionPolicyBinding: admission(
    'MutatingAdmissionPolicyBinding',
    'mutatingadmissionpolicybindings',
    clusterScoped,
  ) as ApiResource<ClusterScoped<Wire<V1MutatingAdmissionPolicyBinding>>>,
  MutatingWebhookConfiguration: admission(
    'MutatingWebhookConfiguration',
    'mutatingwebhookconfigurations',
    clusterScoped,
  ) as ApiResource<ClusterScoped<Wire<V1MutatingWebhookConfiguration>>>,
  ValidatingAdmissionPolicy: admission(
    'ValidatingAdmissionPolicy',
    'validatingadmissionpolicies',
    clusterScoped,
  ) as ApiResource<ClusterScoped<Wire<V1ValidatingAdmissionPolicy>>>,
  ValidatingAdmissionPolicyBinding: admission(
    'ValidatingAdmissionPolicyBinding',
    'validatingadmissionpolicybindings',
    clusterScoped,
  ) as ApiResource<ClusterScoped<Wire<V1ValidatingAdmissionPolicyBinding>>>,
  ValidatingWebhookConfiguration: admission(
    'ValidatingWebhookConfiguration',
    'validatingwebhookconfigurations',
    clusterScoped,
  ) as ApiResource<ClusterScoped<Wire<V1ValidatingWebhookConfiguration>>>,

  // discovery.k8s.io/v1
  EndpointSlice: discovery('EndpointSlice', 'endpointslices') as ApiResource<Wire<V1EndpointSlice>>,

  // authentication.k8s.io/v1
  SelfSubjectReview: authentication(
    'SelfSubjectReview',
    'selfsubjectreviews',
    clusterScoped,
  ) as ApiResource<ClusterScoped<Wire<V1SelfSubjectReview>>>,
  TokenReview: authentication('TokenReview', 'tokenreviews', clusterScoped) as ApiResource<
    ClusterScoped<Wire<V1TokenReview>>
  >,

  // authorization.k8s.io/v1
  LocalSubjectAccessReview: authorization(
    'LocalSubjectAccessReview',
    'localsubjectaccessreviews',
  ) as ApiResource<Wire<V1LocalSubjectAccessReview>>,
  SelfSubjectAccessReview: authorization(
    'SelfSubjectAccessReview',
    'selfsubjectaccessreviews',
    clusterScoped,
  ) as ApiResource<ClusterScoped<Wire<V1SelfSubjectAccessReview>>>,
  SelfSubjectRulesReview: authorization(
    'SelfSubjectRulesReview',
    'selfsubjectrulesreviews',
    clusterScoped,
  ) as ApiResource<ClusterScoped<Wire<V1SelfSubjectRulesReview>>>,
  SubjectAccessReview: authorization(
    'SubjectAccessReview',
    'subjectaccessreviews',
    clusterScoped,
  ) as ApiResource<ClusterScoped<Wire<V1SubjectAccessReview>>>,
} as const;

type Scoped = { readonly scope: Scope };

/**
 * Returns a function that creates the tokens of one group and version. Their type is `ApiResource<never>`, so
 * that each entry of `builtin` names its type once, in an assertion that the compiler accepts.
 */
function kindsOf(
  group: string,
  version: string,
): (kind: string, plural: string, scoped?: Scoped) => ApiResource<never> {
  return (kind, plural, scoped) => {
    const token: ApiResource = defineResource({ group, version, kind, plural, ...scoped });
    return token as ApiResource<never>;
  };
}
