import type { Sample } from './sample.ts';

/** A message from the main process to a replica. */
export type ReplicaCommand = 'sample' | 'stop';

/** A message from a replica to the main process. */
export type ReplicaMessage =
  | { readonly state: 'started' | 'leader' }
  | { readonly sample: Sample }
  | { readonly error: string };
