// Derives testdata/builtin-kinds.txt from the discovery documents of a Kubernetes release:
//   node scripts/builtin-kinds.mjs "$(go env GOMODCACHE)/k8s.io/kubernetes@v1.36.3/api/discovery"
// One line per kind: apiVersion, kind, plural, scope. Lists no subresources, and only the most stable version
// of a kind.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const groups = [
  '',
  'apps',
  'batch',
  'networking.k8s.io',
  'policy',
  'rbac.authorization.k8s.io',
  'storage.k8s.io',
  'autoscaling',
  'coordination.k8s.io',
  'events.k8s.io',
  'apiextensions.k8s.io',
  'admissionregistration.k8s.io',
  'discovery.k8s.io',
  'authentication.k8s.io',
  'authorization.k8s.io',
];

const [directory] = process.argv.slice(2);
if (directory === undefined) throw new Error('usage: builtin-kinds.mjs DISCOVERY_DIRECTORY');

const lines = groups.flatMap((group) => linesOf(group));
writeFileSync(new URL('../testdata/builtin-kinds.txt', import.meta.url), `${lines.join('\n')}\n`);

function linesOf(group) {
  const prefix = group === '' ? 'api__' : `apis__${group}__`;
  const documents = readdirSync(directory)
    .filter((name) => name.startsWith(prefix) && name.endsWith('.json'))
    .map((name) => JSON.parse(readFileSync(join(directory, name), 'utf8')))
    .toSorted((a, b) => stability(b.groupVersion) - stability(a.groupVersion));
  const byKind = new Map();
  for (const { groupVersion, resources } of documents) {
    for (const { name, kind, namespaced } of resources) {
      if (name.includes('/') || byKind.has(kind)) continue;
      byKind.set(kind, [groupVersion, kind, name, namespaced ? 'namespaced' : 'cluster'].join(' '));
    }
  }
  return [...byKind.values()];
}

/** Higher is more stable, then newer: v2 > v1 > v1beta2 > v1beta1 > v1alpha1. */
function stability(groupVersion) {
  const version = groupVersion.split('/').at(-1);
  const [, major, level, minor] = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version);
  const levels = { alpha: 1, beta: 2 };
  return (levels[level] ?? 3) * 1e6 + Number(major) * 1e3 + Number(minor ?? 0);
}
