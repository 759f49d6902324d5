// Objects
export type {
  DeepReadonly,
  KubernetesList,
  KubernetesObject,
  ListMeta,
  ManagedFieldsEntry,
  ObjectMeta,
  OwnerReference,
  Wire,
} from './kubernetes-object.ts';
export { apiVersionOf, resourceId, type ApiResource, type ObjectOf } from './api-resource.ts';
export { keyOf, objectKey, parseObjectKey, type ObjectKey, type ObjectName } from './object-key.ts';

// Errors
export { CodedError, hasCode, type ErrorFacts } from './coded-error.ts';
export { StatusError, type Status, type StatusCause } from './status.ts';

// Wire formats
export type {
  Format,
  Frame,
  FrameBatch,
  HeadPositions,
  ListSplitter,
  ObjectHead,
  Splitter,
  WatchEventType,
} from './format.ts';
