import type { BenchCase } from './bench-case.ts';
import type { Scale } from './scale.ts';

const QUERIES = 10;

/** How the cost of a cache grows with kinds and queries, against `@keelson/apiserver` in a process of its own. */
export function cacheCases(scale: Scale): readonly BenchCase[] {
  const unit = 'MB above one kind';
  return [
    viewsCase(scale, 'views'),
    viewsCase(scale, 'exact'),
    kindsCase(scale, 'kinds', [
      { case: 'kinds.500.rss', metric: 'rss', unit },
      { case: 'kinds.500.sockets', metric: 'sockets', unit: 'sockets' },
    ]),
    // With the young generation that the guide about memory advises for many kinds.
    kindsCase(
      scale,
      'kinds.small',
      [{ case: 'kinds.small.rss', metric: 'rss', unit }],
      ['--max-semi-space-size=8'],
    ),
  ];
}

/** Ten queries beside a wide one: as its views, or with a watch each (`sharing: 'exact'`). */
function viewsCase(scale: Scale, sharing: 'views' | 'exact'): BenchCase {
  const objects = scale.queriedObjects;
  const name = `queries.${sharing}`;
  return {
    name,
    server: { embedded: true, kinds: 1, objects, tls: false },
    sides: { keelson: { job: 'cache.views', options: { sharing, queries: QUERIES, objects } } },
    runs: scale.runs,
    rows: [
      { case: `${name}.sync.wire`, metric: 'syncMegabytes', unit: 'MB received' },
      { case: `${name}.sync.cpu`, metric: 'syncCpu', unit: 'ms CPU' },
      { case: `${name}.change.wire`, metric: 'changeMegabytes', unit: 'MB received' },
      { case: `${name}.change.cpu`, metric: 'changeMicros', unit: 'µs CPU per change' },
    ],
  };
}

function kindsCase(
  { kinds, runs }: Scale,
  name: string,
  rows: BenchCase['rows'],
  flags: readonly string[] = [],
): BenchCase {
  return {
    name,
    server: { embedded: true, kinds, objects: 20, tls: true },
    sides: { keelson: { job: 'cache.kinds', options: { kinds }, flags } },
    runs,
    rows,
  };
}
