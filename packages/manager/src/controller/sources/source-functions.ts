import { CodedError, resourceId, type ErrorFacts } from '@keelson/apimachinery';
import { informerErrors, isSameIndexer } from '@keelson/informer';
import type { SourceOptions } from './source-options.ts';

/** Throws if a transform or indexer of a running watch has the same name and another function. */
export function checkSameFunctions(known: SourceOptions, given: SourceOptions): void {
  const resource = resourceId(given.resource);
  if (known.transform?.apply !== given.transform?.apply) {
    throw conflict('TRANSFORM_CONFLICT', { resource, transform: given.transform?.name });
  }
  const before = known.indexers ?? [];
  const other = (given.indexers ?? []).find((indexer, at) => {
    const same = before[at];
    return same === undefined || !isSameIndexer(indexer, same);
  });
  if (other === undefined) return;
  throw conflict('INDEXER_CONFLICT', { resource, indexer: other.name });
}

/** Throws if a source, or two sources of one kind in one cluster, have different functions under one name. */
export function checkTogether(known: SourceOptions, given: SourceOptions): void {
  const resource = resourceId(given.resource);
  const { transform, indexers = [] } = given;
  const { transform: before } = known;
  if (before?.name === transform?.name && before?.apply !== transform?.apply) {
    throw conflict('TRANSFORM_CONFLICT', { resource, transform: transform?.name });
  }
  for (const indexer of indexers) {
    const same = known.indexers?.find(({ name }) => name === indexer.name);
    if (same === undefined || isSameIndexer(same, indexer)) continue;
    throw conflict('INDEXER_CONFLICT', { resource, indexer: indexer.name });
  }
}

/** The error that `acquire` of the cache throws for the same mistake. */
function conflict(code: 'TRANSFORM_CONFLICT' | 'INDEXER_CONFLICT', facts: ErrorFacts): CodedError {
  return new CodedError(code, informerErrors[code], facts);
}
