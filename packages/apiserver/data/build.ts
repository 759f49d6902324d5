/**
 * Makes the data files of this folder from the source tree of one Kubernetes version:
 *
 *     npm run data -- $(go env GOMODCACHE)/k8s.io/kubernetes@v1.36.3
 *
 * The Go types that say which empty fields travel are read from `k8s.io/api`, `apimachinery`,
 * `apiextensions-apiserver` and `kube-aggregator`, which lie beside it in the module cache.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readResources } from './build/resources.ts';

const kubernetes = process.argv[2];
if (kubernetes === undefined)
  throw new Error('usage: npm run data -- PATH_OF_THE_KUBERNETES_SOURCE');
const version = /@(v[\d.]+)\/?$/.exec(kubernetes)?.[1];
if (version === undefined) throw new Error(`${kubernetes} does not end with @VERSION`);

writeFileSync(
  join(import.meta.dirname, 'resources.json'),
  oneLineEach('resources', readResources(kubernetes)),
);

/** JSON with one entry a line, so that a new Kubernetes version reads well as a diff. */
function oneLineEach(name: string, entries: unknown[]): string {
  const lines = entries.map((entry) => JSON.stringify(entry)).join(',\n');
  return `{"kubernetes":"${version}","${name}":[\n${lines}\n]}\n`;
}
