import {
  boolType,
  type CelType,
  dynType,
  intType,
  listType,
  mapType,
  objectType,
  stringType,
  timestampType,
} from '@keelson/cel/internal';

/** Source: `BuildRequestType` and `BuildNamespaceType` in `pkg/admission/plugin/cel/compile.go` of apiserver. */
function struct(name: string, fields: Readonly<Record<string, CelType>>): CelType {
  return objectType(`kubernetes.${name}`, new Map(Object.entries(fields)));
}

const strings = listType(stringType);
const stringMap = mapType(stringType, stringType);
const kind = struct('GroupVersionKind', {
  group: stringType,
  version: stringType,
  kind: stringType,
});
const resource = struct('GroupVersionResource', {
  group: stringType,
  version: stringType,
  resource: stringType,
});

/** The type of the variable `request`. */
export const requestType: CelType = struct('AdmissionRequest', {
  kind,
  resource,
  subResource: stringType,
  requestKind: kind,
  requestResource: resource,
  requestSubResource: stringType,
  name: stringType,
  namespace: stringType,
  operation: stringType,
  userInfo: struct('UserInfo', {
    username: stringType,
    uid: stringType,
    groups: strings,
    extra: mapType(stringType, strings),
  }),
  dryRun: boolType,
  options: dynType,
});

/** The type of the variable `namespaceObject`. */
export const namespaceType: CelType = struct('Namespace', {
  metadata: struct('NamespaceMetadata', {
    name: stringType,
    generateName: stringType,
    namespace: stringType,
    labels: stringMap,
    annotations: stringMap,
    UID: stringType,
    creationTimestamp: timestampType,
    deletionGracePeriodSeconds: intType,
    deletionTimestamp: timestampType,
    generation: intType,
    resourceVersion: stringType,
    finalizers: strings,
  }),
  spec: struct('NamespaceSpec', { finalizers: strings }),
  status: struct('NamespaceStatus', {
    conditions: listType(
      struct('NamespaceCondition', {
        status: stringType,
        type: stringType,
        lastTransitionTime: timestampType,
        message: stringType,
        reason: stringType,
      }),
    ),
    phase: stringType,
  }),
});
