import { CodedError, resourceId, type ErrorFacts } from '@keelson/apimachinery';
import { informerErrors, isSameIndexer } from '@keelson/informer';
import { clusterOf, type SourceOptions } from './source-options.ts';

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

/** A function that sources of a controller name. */
interface NamedFunction {
  readonly code: 'TRANSFORM_CONFLICT' | 'INDEXER_CONFLICT';
  readonly facts: ErrorFacts;
  isSame(other: NamedFunction): boolean;
  /** The transform or the indexer. */
  readonly value: object;
}

/**
 * The transforms and indexers of the sources of one controller, by kind and name: a name means one function. A lookup
 * costs the same for any number of sources.
 */
export class NamedFunctions {
  readonly #known = new Map<string, Map<object, NamedFunction>>();
  /** The names of each source, as they were when it was added. */
  readonly #namesOf = new Map<object, readonly string[]>();

  /** Throws if a source, or two sources of one controller, have different functions under one name. */
  check(options: SourceOptions): void {
    const own = new Map<string, NamedFunction>();
    for (const [name, given] of functionsOf(options)) {
      const [known] = this.#known.get(name)?.values() ?? [own.get(name)];
      if (known !== undefined && !known.isSame(given)) throw conflict(given.code, given.facts);
      own.set(name, given);
    }
  }

  add(source: { readonly options: SourceOptions }): void {
    const functions = functionsOf(source.options);
    if (functions.length === 0) return;
    for (const [name, given] of functions) {
      const known = this.#known.get(name) ?? new Map<object, NamedFunction>();
      this.#known.set(name, known.set(source, given));
    }
    this.#namesOf.set(
      source,
      functions.map(([name]) => name),
    );
  }

  delete(source: object): void {
    for (const name of this.#namesOf.get(source) ?? []) {
      const known = this.#known.get(name);
      known?.delete(source);
      if (known?.size === 0) this.#known.delete(name);
    }
    this.#namesOf.delete(source);
  }
}

function functionsOf(options: SourceOptions): (readonly [name: string, NamedFunction])[] {
  const resource = resourceId(options.resource);
  const kind = `${clusterOf(options) ?? ''} ${resource}`;
  const { transform, indexers = [] } = options;
  const named: (readonly [string, NamedFunction])[] = indexers.map((indexer) => [
    `${kind} indexer ${indexer.name}`,
    {
      code: 'INDEXER_CONFLICT',
      facts: { resource, indexer: indexer.name },
      value: indexer,
      isSame: ({ value }) => isSameIndexer(value as typeof indexer, indexer),
    },
  ]);
  if (transform === undefined) return named;
  const { name } = transform;
  const entry: NamedFunction = {
    code: 'TRANSFORM_CONFLICT',
    facts: { resource, transform: name },
    value: transform,
    isSame: ({ value }) => (value as typeof transform).apply === transform.apply,
  };
  return [[`${kind} transform ${name}`, entry], ...named];
}

/** Returns the error that `acquire` of the cache throws for the same mistake. */
function conflict(code: 'TRANSFORM_CONFLICT' | 'INDEXER_CONFLICT', facts: ErrorFacts): CodedError {
  return new CodedError(code, informerErrors[code], facts);
}
