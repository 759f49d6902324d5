/**
 * Makes the data files of this folder from the source tree of one Kubernetes version:
 *
 *     npm run data -- $(go env GOMODCACHE)/k8s.io/kubernetes@v1.36.3
 *
 * The Go types that say which empty fields travel are read from `k8s.io/api`, `apimachinery`,
 * `apiextensions-apiserver` and `kube-aggregator`, which lie beside it in the module cache.
 */
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { GoSource } from './build/go-types.ts';
import { KindsBuilder, type OpenApiSchema } from './build/kinds.ts';
import { compressMessages } from './build/messages.ts';
import { openApiFiles, readJson, readResources } from './build/resources.ts';

const kubernetes = process.argv[2];
if (kubernetes === undefined)
  throw new Error('usage: npm run data -- PATH_OF_THE_KUBERNETES_SOURCE');
const version = /@(v1\.[\d.]+)\/?$/.exec(kubernetes)?.[1];
if (version === undefined) throw new Error(`${kubernetes} does not end with @v1.MINOR.PATCH`);

write('resources.json', { resources: readResources(kubernetes) });
const go = new GoSource(dirname(kubernetes), version.replace(/^v1/, 'v0'));
const schemas = definitionsOf(kubernetes);
write('kinds.json', new KindsBuilder(schemas, go).build());
writeFileSync(
  join(import.meta.dirname, 'messages.json.br'),
  compressMessages(go, Object.keys(schemas)),
);

function definitionsOf(source: string): Record<string, OpenApiSchema> {
  const definitions: Record<string, OpenApiSchema> = {};
  for (const file of openApiFiles(source).values()) {
    const document = readJson(file) as { components: { schemas: Record<string, OpenApiSchema> } };
    Object.assign(definitions, document.components.schemas);
  }
  return definitions;
}

/** JSON with one entry a line, so that a new Kubernetes version reads well as a diff. */
function write(name: string, content: object): void {
  const sections = Object.entries(content as Record<string, object>).map(([key, entries]) => {
    const lines = Array.isArray(entries)
      ? entries.map((entry) => JSON.stringify(entry))
      : Object.entries(entries).map(
          ([id, entry]) => `${JSON.stringify(id)}:${JSON.stringify(entry)}`,
        );
    const [open, close] = Array.isArray(entries) ? '[]' : '{}';
    return `"${key}":${open}\n${lines.join(',\n')}\n${close}`;
  });
  const text = `{"kubernetes":"${version}",${sections.join(',')}}\n`;
  writeFileSync(join(import.meta.dirname, name), text);
}
