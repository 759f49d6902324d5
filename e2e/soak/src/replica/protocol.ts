import type { Sample } from './sample.ts';

/** What the main process sends to a replica. */
export type ReplicaCommand = 'sample' | 'stop';

/** What a replica sends to the main process. */
export type ReplicaMessage =
  | { readonly state: 'started' | 'leader' }
  | { readonly sample: Sample }
  | { readonly error: string };
