import type { builtin, Cached, ObjectOf } from '@keelson/apimachinery';

/** The kinds that the controllers read and write, as the cache returns them. */
export type Pod = Cached<ObjectOf<typeof builtin.Pod>>;
export type ReplicaSet = Cached<ObjectOf<typeof builtin.ReplicaSet>>;
export type Deployment = Cached<ObjectOf<typeof builtin.Deployment>>;
export type StatefulSet = Cached<ObjectOf<typeof builtin.StatefulSet>>;
export type DaemonSet = Cached<ObjectOf<typeof builtin.DaemonSet>>;
export type ControllerRevision = Cached<ObjectOf<typeof builtin.ControllerRevision>>;
export type Job = Cached<ObjectOf<typeof builtin.Job>>;
export type CronJob = Cached<ObjectOf<typeof builtin.CronJob>>;
export type Node = Cached<ObjectOf<typeof builtin.Node>>;
export type Claim = Cached<ObjectOf<typeof builtin.PersistentVolumeClaim>>;
export type Volume = Cached<ObjectOf<typeof builtin.PersistentVolume>>;
export type Service = Cached<ObjectOf<typeof builtin.Service>>;

/** The template of the Pods of a workload. */
export type PodTemplate = ReplicaSet['spec'] extends infer Spec
  ? NonNullable<NonNullable<Spec> extends { template?: infer Template } ? Template : never>
  : never;
