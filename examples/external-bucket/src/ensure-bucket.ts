import { setCondition, type DeepReadonly, type Persisted } from '@keelson/manager';
import { UnknownRegionError, type BucketStore } from './bucket-store.ts';
import type { Bucket } from './custom-resource.ts';

/** The status to write, and the same as a sentence. */
export interface EnsuredBucket {
  readonly status: NonNullable<Bucket['status']>;
  readonly reason: string;
  readonly message: string;
}

// #region ensure
/** Creates the bucket. Throws errors that a retry may repair; the others are in the status. */
export async function ensureBucket(
  store: BucketStore,
  id: string,
  bucket: DeepReadonly<Persisted<Bucket>>,
): Promise<EnsuredBucket> {
  const { region } = bucket.spec;
  try {
    const url = await store.ensure(id, region);
    return ensured(bucket, 'Available', `the bucket is in ${region}`, url);
  } catch (error) {
    if (!(error instanceof UnknownRegionError)) throw error;
    return ensured(bucket, 'UnknownRegion', error.message);
  }
}

function ensured(
  { metadata, status }: DeepReadonly<Persisted<Bucket>>,
  reason: string,
  message: string,
  url?: string,
): EnsuredBucket {
  const conditions = setCondition(status?.conditions, {
    type: 'Ready',
    status: url === undefined ? 'False' : 'True',
    reason,
    message,
    observedGeneration: metadata.generation ?? 0,
  });
  return { status: url === undefined ? { conditions } : { url, conditions }, reason, message };
}
// #endregion
